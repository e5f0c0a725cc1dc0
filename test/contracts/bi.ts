import { contract } from "./contract.ts";

/**
 * What /api/2.0/mcp promises: identity, transport, sessions, REST twins, forms of results and errors, input checks.
 * Promises of tools that do not exist yet are not listed; the work that adds a tool adds them.
 */
export const bi = contract("bi", {
  "bi.health.public":
    "GET /api/2.0/mcp/health answers without a token with status, toolCount, tools and activeSessions",
  "bi.health.sessions": "activeSessions counts the sessions that are open now",

  "bi.auth.bearer": "Every route but health wants Authorization: Bearer and answers 401 without it",
  "bi.auth.invalid": "A token that is expired or invalid gets 401 and says so",
  "bi.auth.session-alone": "A session id alone grants no access: each request needs a valid token",
  "bi.token.mcp": "An MCP token is a bearer token on the MCP endpoints with the full power of its owner",
  "bi.token.lifetime": "An MCP token lives for 30 days to 1 year, as chosen",
  "bi.token.revoked": "An MCP token can be revoked at any time, and no other credential is affected",
  "bi.login.bearer": "POST /api/2.0/login with clientId and clientSecret returns a bearer token",
  "bi.login.hour": "The bearer token of login is good for 1 hour; after that the answer is 401",
  "bi.login.refused": "A wrong clientId or clientSecret gets 401, the same for both",
  "bi.login.power": "The bearer token is tied to one user and has that user's full permissions",

  "bi.transport.post":
    "One POST endpoint takes initialize, tools/list and tools/call and answers at once, as JSON",
  "bi.transport.initialize":
    "initialize with empty params answers protocolVersion 2024-11-05, capabilities {tools: {}} and serverInfo, with Mcp-Session-Id",
  "bi.transport.call": "tools/call with the Mcp-Session-Id of initialize works as the curl example prints it",
  "bi.transport.no-handshake": "tools/call works without initialize",
  "bi.transport.initialized": "notifications/initialized gets 204 without a body",
  "bi.transport.list": "tools/list lists all tools of the endpoint with their schemas",

  "bi.session.header":
    "Mcp-Session-Id comes with every response to a JSON-RPC request: results, errors, notifications",
  "bi.session.continuity": "A session id that the client sends back stays the same",
  "bi.session.unique": "Each initialize gets a session id of its own",
  "bi.session.idle": "A session ends after 30 minutes without use, and each use begins them anew",
  "bi.session.delete": "DELETE /api/2.0/mcp with Mcp-Session-Id ends the session",
  "bi.session.renewed": "A client with a session that has ended gets a new one with its next request",
  "bi.session.user":
    "A session belongs to the user who began it: another user's request gets a session of its own",

  "bi.rest.list": "GET /api/2.0/mcp/tools returns an array of tools with name, description and input schema",
  "bi.rest.get": "GET /api/2.0/mcp/tools/{toolName} returns the schema of one tool",
  "bi.rest.call": "POST /api/2.0/mcp/tools/call with name and arguments runs a tool and returns its result",
  "bi.rest.unknown": "An unknown tool name gets 404 on the REST routes",
  "bi.rest.status": "On the REST routes a failed call has the error's own HTTP status beside the same body",

  "bi.result.shape": "A result has content, isError false and _meta.executionTimeMs",
  "bi.error.shape": "A failed call is a result with one text in content and isError true",
  "bi.error.denied": "Without the permission the text begins with Access denied",
  "bi.error.unknown-tool": "An unknown tool is told as Tool not found, with where to list the valid names",
  "bi.error.validation": "Missing or wrong parameters are told as Validation error, naming the field",

  "bi.input.control-characters":
    "ASCII 0x00-0x08, 0x0B, 0x0C, 0x0E-0x1F and 0x7F are stripped from all string arguments; tab, line feed and return stay",
  "bi.input.length": "An instruction in natural language has at most 2,000 characters",
  "bi.input.injection":
    "Instructions with the known phrases of prompt injection are rejected before they reach a model",
  "bi.input.destructive":
    "Instructions to delete, remove, drop, destroy, purge or wipe are blocked and directed to knowi_delete",

  "bi.tools.all": "The 31 tools of the reference are there, and health counts them",
  "bi.tools.parameters":
    "Each tool of reports, alerts, insights and knowi_do takes the parameters of the reference, of their types, and needs those that it needs",
  "bi.tools.values": "Values outside of what the reference lists are refused before anything is done",
  "bi.tools.roles": "The same roles may call these tools by JSON-RPC and by REST",

  "bi.do.parameters": "knowi_do needs instruction, and takes dashboardId and widgetId",
  "bi.do.example": "knowi_do creates a sales dashboard with revenue trends and top products",
  "bi.do.chain": "knowi_do routes an instruction to the tools that it takes, and chains several of them",
  "bi.do.access": "knowi_do does nothing that the caller may not do by the tools themselves",
  "bi.do.audit": "What knowi_do does is in the audit log: the instruction, and each call that it came to",

  "bi.ask.parameters": "knowi_ask needs question, and takes datasetIds",
  "bi.ask.search":
    "Without datasetIds knowi_ask searches all datasets that the caller may see for the relevant ones",
  "bi.ask.named": "With datasetIds knowi_ask queries these datasets and no others",
  "bi.ask.response":
    "knowi_ask gives the executed query, the fields of the result, its rows and the datasets that were searched",
  "bi.ask.rows": "knowi_ask returns at most 100 rows, with totalRows and returnedRows",
  "bi.ask.access": "knowi_ask checks the caller's access to each dataset before it reads it",

  "bi.get-data.default-limit": "knowi_get_data returns at most 100 rows by default",
  "bi.get-data.limit": "knowi_get_data returns as many rows as limit says",
  "bi.get-data.counts": "knowi_get_data says totalRows and returnedRows",
  "bi.get-data.one-required": "knowi_get_data needs one of widgetId or datasetId",
  "bi.get-details.dataset": "knowi_get_details of a dataset has its full metadata with its schema",
  "bi.get-details.query":
    "knowi_get_details of a query has its last runs, and for those who may change it its configuration",
  "bi.get-details.datasource": "knowi_get_details of a datasource has its configuration, without secrets",
  "bi.push-data.creates": "knowi_push_data creates the dataset if it does not exist",
  "bi.push-data.appends": "knowi_push_data appends rows to an existing dataset",
  "bi.import-file.inline": "knowi_import_file takes inline text of CSV, JSON and XML",
  "bi.import-file.detects": "knowi_import_file detects the format when fileType is left out",
  "bi.import-file.updates": "knowi_import_file creates a dataset, or updates the one of that name",
  "bi.import-file.url": "knowi_import_file downloads a file by fileUrl",
  "bi.import-file.one-required": "knowi_import_file needs one of content or fileUrl",
  "bi.export-csv.base64": "knowi_export_csv returns base64-encoded CSV",
  "bi.export-csv.limit": "knowi_export_csv exports 10,000 rows by default and 200,000 at most",
  "bi.export-csv.one-required": "knowi_export_csv needs to be told what to export",
  "bi.delete.dataset": "knowi_delete deletes a dataset",
  "bi.delete.three-parameters": "knowi_delete needs assetType, assetId and confirm true, or it fails",

  "bi.create-datasource.parameters":
    "knowi_create_datasource takes name and datasourceType, and if need be host, port, dbName, dbUser and dbPassword",
  "bi.create-datasource.types":
    "datasourceType is mysql, postgresql, mongo, restapi, csv, snowflake, bigquery, redshift, elasticsearch and others; one that is not served is told with those that are",
  "bi.create-datasource.owner":
    "A datasource belongs to the organisation of whoever made it, and no other sees it",
  "bi.create-query.parameters":
    "knowi_create_query needs name, datasourceId and queryString, and takes runNow",
  "bi.create-query.runs": "knowi_create_query executes the query immediately by default",
  "bi.create-query.run-now": "knowi_create_query with runNow false does not execute it",
  "bi.run.query": "knowi_run triggers the execution of a query by queryId",
  "bi.run.one-required": "knowi_run needs one of queryId or reportId",

  "bi.run.report": "knowi_run with reportId makes the report and sends it",
  "bi.create-report.dashboard": "knowi_create_report sends a dashboard to the recipients by schedule",
  "bi.create-report.widgets": "widgetIds make a report of widgets, with CSV files where exportCSV is true",
  "bi.create-report.one-required": "knowi_create_report needs one of dashboardId or widgetIds",
  "bi.create-report.channel-required": "A report needs at least one delivery channel",
  "bi.create-report.defaults":
    "By default a report is sent every day at 08:00 in the user's timezone as pdf; weekly on MONDAY, monthly on day 1",
  "bi.create-report.format": "format is pdf or image",
  "bi.create-report.slack": "slackName names a Slack channel or a configured one, which gets the report",
  "bi.create-report.teams": "teamsActionIds are Teams integrations that were configured",
  "bi.create-report.send-now": "sendNow sends the report at once after it is made",
  "bi.create-report.mail": "subject and emailBody are those of the mail",
  "bi.create-report.schedule": "A report is sent when it is due",
  "bi.create-report.access": "Reports are made by those who may change things, of what they may see",
  "bi.update-report.partial":
    "knowi_update_report changes only the fields that are given; recipients replace the former",
  "bi.update-report.send-now": "sendNow sends the report at once after the change",
  "bi.get-details.report": "knowi_get_details of a report tells its configuration and what was sent to whom",
  "bi.delete.report": "knowi_delete deletes a report",
  "bi.search.report-alert": "knowi_search finds reports and alerts by assetType",
  "bi.create-report.recommendations": "includeRecommendations adds recommendations to the report",
  "bi.get-insights.widget":
    "knowi_get_insights returns observations, trends, anomalies and recommendations of a widget",
  "bi.get-insights.dashboard": "With dashboardId all widgets are analyzed",
  "bi.get-insights.one-required": "knowi_get_insights needs one of widgetId or dashboardId",
  "bi.get-insights.context": "context guides the analysis",
  "bi.get-insights.access": "Insights are made of what the caller may see",
  "bi.create-alert.conditional":
    "knowi_create_alert makes a conditional alert on a dataset, which triggers when a C9QL condition matches",
  "bi.create-alert.natural-language": "alertCondition is natural language or C9QL",
  "bi.create-alert.condition-required": "A conditional alert needs alertCondition",
  "bi.create-alert.data-not-updated": "alertType data_not_updated tells of a dataset that was not updated",
  "bi.create-alert.query-error": "alertType query_error tells when the query of a dataset fails",
  "bi.create-alert.defaults": "An alert is checked every day at 08:00 in the user's timezone by default",
  "bi.create-alert.realtime": "A realtime alert is evaluated every time the dataset updates",
  "bi.create-alert.access": "Alerts are made by those who may change things, on datasets that they may see",
  "bi.alerts.fires": "When the condition matches, the recipients get a mail",
  "bi.list-alerts.filter":
    "knowi_list_alerts lists the alerts that the user may see, those of one dataset by datasetId and of one widget by widgetId",
  "bi.test-alert.sends":
    "knowi_test_alert evaluates an alert at once and sends notifications if the condition matches",
  "bi.test-alert.unrecorded": "The result of a test is not recorded in the alert's history",
  "bi.update-alert.partial": "knowi_update_alert changes only the fields that are given",
  "bi.update-alert.paused": "paused true pauses an alert, false resumes it",
  "bi.delete.alert": "knowi_delete deletes an alert",
  "bi.boards.parameters":
    "The tools of dashboards take exactly the parameters of the reference: names, types, which are required, defaults, limits and choices",
  "bi.boards.refusals":
    "What is missing, wrong or not there is told alike by the endpoint and by REST, with a status that says which",
  "bi.list-dashboards":
    "knowi_list_dashboards returns the ids, names and widget counts of the dashboards that the caller may see",
  "bi.find-widget":
    "knowi_find_widget finds widgets by part of a name, within a dashboard if one is given, with chart type and dataset",
  "bi.create-widget.parameters":
    "knowi_create_widget needs name and datasetId, and takes chartType (column by default), xAxis, yAxis, groupBy, series and dashboardId",
  "bi.create-widget.fields": "knowi_create_widget refuses a field name that is wrong, with the right ones",
  "bi.create-widget.types": "knowi_create_widget knows the 14 chart types of the contract",
  "bi.create-widget.recommendation": "A widget of type recommendation shows its own dataset",
  "bi.create-widget.write": "knowi_create_widget is for those who may write",
  "bi.update-widget.filters":
    "knowi_update_widget replaces the filters, with the operators =, !=, >, <, >=, <=, like, in and between",
  "bi.update-widget.c9ql": "c9ql of knowi_update_widget replaces the entire transformation",
  "bi.update-widget.display":
    "knowi_update_widget saves chart type, name and fields at once; recommendation is none of its chart types",
  "bi.layout":
    "knowi_layout_dashboard sets col 1-24, row 1+, sizeX 1-24 and sizeY 1-16 of widgets on a grid of 24 columns",
  "bi.export-pdf": "knowi_export_pdf returns a dashboard or a widget as base64-encoded PDF",
  "bi.export-csv.dashboard":
    "knowi_export_csv exports a widget as CSV, and of a dashboard every widget as a CSV of its own",
  "bi.embed-url": "knowi_get_embed_url generates a share URL for a dashboard or a widget",
  "bi.limits.beyond":
    "A limit of knowi_search or knowi_get_data has no largest value: fewer may come, and the counts tell",
  "bi.search.every-type":
    "knowi_search takes each of dashboard, widget, dataset, query, report and alert as assetType",
  "bi.search": "knowi_search finds assets by words and meaning, filtered by assetType, at most limit of them",
  "bi.get-data.widget": "knowi_get_data gives the rows of a widget",
  "bi.get-details.dashboard":
    "knowi_get_details of a dashboard has its widget count, and of a widget its configuration",
  "bi.delete.dashboard": "knowi_delete deletes dashboards and widgets",
  "bi.access":
    "Every tool checks by the same rule whether the caller may see or change a dashboard and its widgets",

  "bi.audit.call": "Each tool call is logged with tool name, success and milliseconds, for admins to read",
  "bi.audit.denied": "A denied call is logged with the user and what was asked for",

  "bi.metering":
    "knowi_do, knowi_ask and knowi_search use up agent calls of the plan; deterministic tools are unlimited",
  "bi.documents.ingest":
    "knowi_ingest_document takes content with fileName, or fileUrl, and makes it searchable",
  "bi.documents.list": "knowi_list_documents lists names and ids, by datasourceId and by part of a name",
  "bi.documents.ask": "knowi_ask_document answers from all documents or from documentIds, with citations",
  "bi.documents.extract":
    "knowi_extract_document_data makes a dataset of the named fields, one row a document, within detailsDepth 1 to 20",
  "bi.documents.delete": "knowi_delete_document deletes a document when confirm is true",
});
