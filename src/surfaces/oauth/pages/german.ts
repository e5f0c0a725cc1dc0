/** The words of our pages in German, by their English text. `words.test.ts` finds what is missing or no longer used. */
export const GERMAN: Readonly<Record<string, string>> = {
  // Sign-in, consent and errors
  Connect: "Verbinden",
  Error: "Fehler",
  "The app that sent you here made a mistake; tell its makers.":
    "Die Anwendung, die Sie hierher geschickt hat, hat einen Fehler gemacht; sagen Sie es deren Herstellern.",
  "Signed in": "Angemeldet",
  "Signed out": "Abgemeldet",
  "Sign in": "Anmelden",
  Account: "Konto",
  "Sign out": "Abmelden",
  "E-mail": "E-Mail",
  Password: "Passwort",
  "E-mail and password do not fit.": "E-Mail und Passwort passen nicht zusammen.",
  "Sign in first.": "Melden Sie sich zuerst an.",
  "Forgotten your password? Whoever runs this server can set a new one.":
    "Passwort vergessen? Wer diesen Server betreibt, kann ein neues setzen.",
  Invitation: "Einladung",
  "Join {0}": "{0} beitreten",
  Join: "Beitreten",
  "You are invited as <strong>{0}</strong>.": "Sie sind als <strong>{0}</strong> eingeladen.",
  "Your name": "Ihr Name",
  "At least 12 characters. If you have an account with this address already, enter its password.":
    "Mindestens 12 Zeichen. Wenn Sie mit dieser Adresse schon ein Konto haben, geben Sie dessen Passwort ein.",
  "You are signed in": "Sie sind angemeldet",
  'as <strong>{0}</strong>. You can close this page and go back to your client, or see <a href="/">your dashboards, tokens and connected apps</a>.':
    'als <strong>{0}</strong>. Sie können diese Seite schließen und zu Ihrem Client zurückkehren, oder <a href="/">Ihre Dashboards, Token und verbundenen Anwendungen</a> ansehen.',
  "You are signed out": "Sie sind abgemeldet",
  "Apps that you have connected stay connected until you revoke them.":
    "Anwendungen, die Sie verbunden haben, bleiben verbunden, bis Sie es widerrufen.",
  '<a href="/sign-in?return_to=%2F">Sign in again</a>, or go to <a href="/">the start page</a>.':
    '<a href="/sign-in?return_to=%2F">Wieder anmelden</a> oder zur <a href="/">Startseite</a> gehen.',
  'Connect <span class="client">{0}</span>?': '<span class="client">{0}</span> verbinden?',
  'It will act as <strong>{0}</strong>, and send you back to <strong class="host">{1}</strong>.':
    'Die Anwendung handelt als <strong>{0}</strong> und schickt Sie zurück zu <strong class="host">{1}</strong>.',
  "<strong>Unverified app.</strong> Nobody has registered it; it only says that it is called “{0}”. Go on only if you have just started it yourself on this computer.":
    "<strong>Nicht geprüft.</strong> Niemand hat diese Anwendung eingetragen; sie sagt nur, dass sie „{0}“ heißt. Fahren Sie nur fort, wenn Sie sie gerade selbst auf diesem Rechner gestartet haben.",
  "<strong>Unverified app.</strong> It registered itself, and nobody has checked that it is “{0}”. Go on only if you have just asked it to connect, and know the address that it sends you back to.":
    "<strong>Nicht geprüft.</strong> Diese Anwendung hat sich selbst eingetragen, und niemand hat geprüft, ob sie „{0}“ ist. Fahren Sie nur fort, wenn Sie die Verbindung gerade selbst begonnen haben und die Adresse kennen, zu der sie Sie zurückschickt.",
  "It may": "Sie darf",
  "Never more than your own role allows. Take away what it should not do.":
    "Nie mehr, als Ihre eigene Rolle erlaubt. Nehmen Sie weg, was sie nicht tun soll.",
  Allow: "Erlauben",
  Deny: "Ablehnen",
  "In the workspace <strong>{0}</strong>, where you are {1}.":
    "Im Arbeitsbereich <strong>{0}</strong>, in dem Sie {1} sind.",
  "In the workspace": "Im Arbeitsbereich",
  "That did not work": "Das hat nicht geklappt",
  "There is nothing here": "Hier ist nichts",
  "This server has no page at <strong>{0}</strong>.":
    "Dieser Server hat keine Seite unter <strong>{0}</strong>.",
  "Go to the start page": "Zur Startseite",
  "Not found": "Nicht gefunden",
  "Stop these mails?": "Diese Mails abbestellen?",
  "{0} gets no more mails of this alert or report.":
    "{0} bekommt von diesem Alarm oder Bericht keine Mails mehr.",
  "Stop them": "Abbestellen",
  Done: "Erledigt",

  // What permissions mean
  "Connect to the data agent": "Sich mit dem Datenagenten verbinden",
  "Ask questions about your data": "Fragen zu Ihren Daten stellen",
  "See semantic models and their datasets": "Semantische Modelle und ihre Datensätze sehen",
  "Change semantic models": "Semantische Modelle ändern",
  "See dashboards, datasets, queries and reports": "Dashboards, Datensätze, Abfragen und Berichte sehen",
  "Create and change dashboards, datasets, queries and reports":
    "Dashboards, Datensätze, Abfragen und Berichte anlegen und ändern",
  "Recall what the workspace remembers": "Abrufen, was der Arbeitsbereich sich gemerkt hat",
  "Store and change memories": "Erinnerungen speichern und ändern",
  "Read and search knowledge bases": "Wissensbasen lesen und durchsuchen",
  "Add and change documents": "Dokumente hinzufügen und ändern",
  "Administer the workspace, with its audit log": "Den Arbeitsbereich verwalten, mit seinem Protokoll",

  // The start page
  Welcome: "Willkommen",
  Start: "Start",
  "Your organisation’s data, documents and memory, for any AI client":
    "Die Daten, Dokumente und Erinnerungen Ihrer Organisation, für jeden KI-Client",
  "Kenning is a server that Claude, ChatGPT, Cursor, VS Code, Codex and others connect to by the Model Context Protocol. Everyone signs in as themselves, and a client can do what its person may do, and no more.":
    "Kenning ist ein Server, mit dem sich Claude, ChatGPT, Cursor, VS Code, Codex und andere über das Model Context Protocol verbinden. Alle melden sich mit dem eigenen Konto an, und ein Client kann, was sein Mensch darf, und nicht mehr.",
  "The first account and its password are shown where the server was started.":
    "Das erste Konto und sein Passwort stehen dort, wo der Server gestartet wurde.",
  "Hello, {0}": "Hallo, {0}",
  "You are not a member of any workspace yet. Whoever runs this server can make you one.":
    "Sie sind noch in keinem Arbeitsbereich Mitglied. Wer diesen Server betreibt, kann das ändern.",
  "Your workspaces": "Ihre Arbeitsbereiche",
  Dashboards: "Dashboards",
  "There are none yet: ask your client to make one.":
    "Es gibt noch keine: Bitten Sie Ihren Client, eines anzulegen.",
  "and {0} more; your client lists them all.": "und {0} weitere; Ihr Client zählt alle auf.",
  "just now": "gerade eben",

  // Asking
  Question: "Frage",
  "Ask about your data, documents and memory": "Fragen Sie nach Daten, Dokumenten und Erinnerungen",
  "Ask another question": "Stellen Sie eine weitere Frage",
  Workspace: "Arbeitsbereich",
  Ask: "Fragen",
  "Nothing in this workspace answers that.": "In diesem Arbeitsbereich beantwortet das nichts.",
  Answer: "Antwort",
  Data: "Daten",
  "Read as: {0}": "Verstanden als: {0}",
  Rows: "Zeilen",
  "The first {0} of {1} rows.": "Die ersten {0} von {1} Zeilen.",
  "{0} more columns are not shown.": "{0} weitere Spalten werden nicht gezeigt.",
  "From documents": "Aus Dokumenten",
  "page {0}": "Seite {0}",
  "From memory": "Aus dem Gedächtnis",

  // Connecting a client
  "Connect a client": "Einen Client verbinden",
  "Give it this address. It opens your browser, you sign in and say what it may do.":
    "Geben Sie ihm diese Adresse. Er öffnet Ihren Browser, Sie melden sich an und sagen, was er darf.",
  "the address": "die Adresse",
  "the snippet for {0}": "den Text für {0}",
  Copied: "Kopiert",
  "Press Ctrl+C": "Strg+C drücken",
  Copy: "Kopieren",
  "ChatGPT calls from OpenAI’s servers, so it needs an https address that is reachable from the internet. This one is not: put the server behind such an address and set APP_URL to it.":
    "ChatGPT ruft von OpenAIs Servern aus an und braucht deshalb eine https-Adresse, die aus dem Internet erreichbar ist. Diese ist es nicht: Stellen Sie den Server hinter eine solche Adresse und setzen Sie APP_URL darauf.",
  "Run this in a terminal:": "Führen Sie das in einem Terminal aus:",
  "Then type /mcp in a session, choose kenning and sign in.":
    "Geben Sie dann in einer Sitzung /mcp ein, wählen Sie kenning und melden Sie sich an.",
  "In Settings, open Apps, then Advanced settings, and switch on Developer mode. Choose Create app, with OAuth and this address:":
    "Öffnen Sie in den Einstellungen Apps, dann die erweiterten Einstellungen, und schalten Sie den Entwicklermodus ein. Wählen Sie App erstellen, mit OAuth und dieser Adresse:",
  "Add it with the button, or put this into ~/.cursor/mcp.json:":
    "Fügen Sie es mit dem Knopf hinzu, oder schreiben Sie das in ~/.cursor/mcp.json:",
  "Add to Cursor": "Zu Cursor hinzufügen",
  "Add it with the button, or put this into .vscode/mcp.json:":
    "Fügen Sie es mit dem Knopf hinzu, oder schreiben Sie das in .vscode/mcp.json:",
  "Add to VS Code": "Zu VS Code hinzufügen",
  "Most take this, in a file of their own. Leave the headers out where the client can open a browser to sign in; otherwise put in a token.":
    "Die meisten nehmen das, in einer eigenen Datei. Lassen Sie die headers weg, wo der Client zum Anmelden einen Browser öffnen kann; setzen Sie sonst ein Token ein.",
  "To see whether a token works:": "Um zu sehen, ob ein Token funktioniert:",
  "In Settings, open Connectors, choose Add custom connector and paste this address:":
    "Öffnen Sie in den Einstellungen Connectors, wählen Sie Add custom connector und fügen Sie diese Adresse ein:",
  "In Settings, open Developer, choose Edit Config, put this into claude_desktop_config.json and start Claude again (it needs Node):":
    "Öffnen Sie in den Einstellungen Developer, wählen Sie Edit Config, schreiben Sie das in claude_desktop_config.json und starten Sie Claude neu (es braucht Node):",
  "Where Kenning itself is installed, its own “kenning stdio” does the same with a token in KENNING_TOKEN.":
    "Wo Kenning selbst installiert ist, tut „kenning stdio“ dasselbe mit einem Token in KENNING_TOKEN.",

  // Tokens, applications and the password
  "<strong>The token “{0}” is made.</strong> Copy it now: it is shown only this once.":
    "<strong>Das Token „{0}“ ist angelegt.</strong> Kopieren Sie es jetzt: Es wird nur dieses eine Mal gezeigt.",
  "It is good until {0}.": "Es gilt bis {0}.",
  "the token": "das Token",
  "Your tokens": "Ihre Token",
  "For scripts, and for clients that cannot open a browser to sign in.":
    "Für Skripte und für Clients, die zum Anmelden keinen Browser öffnen können.",
  "You have no tokens.": "Sie haben keine Token.",
  "Make a token": "Token anlegen",
  "by {0}": "von {0}",
  "in {0}": "in {0}",
  "ends {0}": "endet am {0}",
  "the token {0}": "das Token {0}",
  "not used yet": "noch nicht benutzt",
  "used {0}": "benutzt {0}",
  toolsets: "Werkzeuggruppen",
  models: "Modelle",
  "knowledge bases": "Wissensbasen",
  "all that your role allows": "alles, was Ihre Rolle erlaubt",
  "read only": "nur lesen",
  "only {0} {1}": "nur {0} {1}",
  "Connected applications": "Verbundene Anwendungen",
  "Clients that you have signed in with. They go on working after you sign out here.":
    "Clients, mit denen Sie sich angemeldet haben. Sie arbeiten weiter, wenn Sie sich hier abmelden.",
  "No application is connected.": "Keine Anwendung ist verbunden.",
  "connected {0}": "verbunden am {0}",
  "Revoke {0}…": "{0} widerrufen …",
  "Revoke…": "Widerrufen …",
  "Revoke {0} now": "{0} jetzt widerrufen",
  "Revoke now": "Jetzt widerrufen",
  "The token is revoked and works no more.": "Das Token ist widerrufen und gilt nicht mehr.",
  "The application is disconnected. To come back it has to ask you again.":
    "Die Anwendung ist getrennt. Um zurückzukommen, muss sie Sie wieder fragen.",
  Name: "Name",
  "Where it will be used": "Wo es benutzt wird",
  Kind: "Art",
  "mcp: all tools, for an AI client": "mcp: alle Werkzeuge, für einen KI-Client",
  "api: all tools, for scripts": "api: alle Werkzeuge, für Skripte",
  "memory: memory tools only": "memory: nur Werkzeuge des Gedächtnisses",
  "knowledge: knowledge tools only": "knowledge: nur Werkzeuge der Wissensbasen",
  "Ends after": "Endet nach",
  "The usual time of its kind": "Der üblichen Zeit seiner Art",
  "30 days": "30 Tagen",
  "90 days": "90 Tagen",
  "180 days": "180 Tagen",
  "1 year": "1 Jahr",
  "Read only: it changes nothing, whatever else it may do":
    "Nur lesen: Es ändert nichts, was immer es sonst darf",
  "Only some permissions": "Nur einige Rechte",
  "With none ticked it may do all that its kind and your role allow.":
    "Ist nichts angekreuzt, darf es alles, was seine Art und Ihre Rolle erlauben.",
  "Make the token": "Token anlegen",
  "Your password": "Ihr Passwort",
  "Change it": "Ändern",
  "Present password": "Jetziges Passwort",
  "New password": "Neues Passwort",
  "New password once more": "Neues Passwort noch einmal",
  "At least {0} characters: a few random words are easy to remember. Other browsers are signed out.":
    "Mindestens {0} Zeichen: Einige zufällige Wörter sind leicht zu merken. Andere Browser werden abgemeldet.",
  "Change the password": "Passwort ändern",
  "Your password is changed.": "Ihr Passwort ist geändert.",
  "The two new passwords are not the same.": "Die beiden neuen Passwörter sind nicht gleich.",
  "The current password does not fit.": "Das jetzige Passwort stimmt nicht.",

  // Dashboards
  "There is nothing on this dashboard yet.": "Auf diesem Dashboard ist noch nichts.",
  Apply: "Anwenden",
  "{0}, from": "{0}, von",
  "{0}, to": "{0}, bis",
  All: "Alle",
  "{0} chosen": "{0} gewählt",
  Search: "Suchen",
  "Search {0}": "{0} durchsuchen",
  Clear: "Leeren",
  "This could not be drawn just now. Load the page again.":
    "Das konnte gerade nicht gezeichnet werden. Laden Sie die Seite neu.",
  "Columns before": "Spalten davor",
  "More columns": "Weitere Spalten",
  "This page is too large to show everything at once.":
    "Diese Seite ist zu groß, um alles auf einmal zu zeigen.",
  "Show this": "Das hier zeigen",
  "{0}. Use the arrow keys to read values.": "{0}. Mit den Pfeiltasten lesen Sie Werte.",
  "Data as of {0}.": "Datenstand: {0}.",
  "Shown {0} {1}.": "Gezeigt am {0} {1}.",
  "This link does not work, or no longer. Ask whoever gave it to you for a new one.":
    "Dieser Link funktioniert nicht oder nicht mehr. Bitten Sie, wer ihn Ihnen gegeben hat, um einen neuen.",
  "There is no such dashboard, or none that you may see.":
    "Dieses Dashboard gibt es nicht, oder Sie dürfen es nicht sehen.",
  "Loading…": "Wird geladen …",
  "The server could not be reached.": "Der Server war nicht zu erreichen.",
  "This page needs scripts to be switched on.": "Diese Seite braucht eingeschaltete Skripte.",

  // The demo
  "Try the demo": "Die Demo ausprobieren",
  "The workspace “demo” is about Hafenrad, a maker of electric bicycles that does not exist: three years of sales, marketing and support up to today, handbooks in English and German, and what its people remember.":
    "Der Arbeitsbereich „demo“ handelt von Hafenrad, einem Hersteller von Elektrofahrrädern, den es nicht gibt: drei Jahre Verkauf, Marketing und Kundendienst bis heute, Handbücher auf Englisch und Deutsch, und was sich die Leute dort gemerkt haben.",
  "{0} of {1} steps are done.": "{0} von {1} Schritten sind getan.",
  "Load this page again to see more.": "Laden Sie diese Seite neu, um mehr zu sehen.",
  "The last try failed and is made again in some minutes: {0}":
    "Der letzte Versuch ist gescheitert und wird in einigen Minuten wiederholt: {0}",
  "Questions to begin with, here or in your client once it is connected to the workspace “demo”:":
    "Fragen für den Anfang, hier oder in Ihrem Client, sobald er mit dem Arbeitsbereich „demo“ verbunden ist:",
  "It also has an alert that fires and a report for every Monday. As long as no mail server is set, their mails are files in the folder <code>outbox</code> of the data folder: ask your client what was sent.":
    "Sie hat auch einen Alarm, der auslöst, und einen Bericht für jeden Montag. Solange kein Mailserver eingestellt ist, sind ihre Mails Dateien im Ordner <code>outbox</code> des Datenordners: Fragen Sie Ihren Client, was verschickt wurde.",
  "Whoever runs this server removes it with “kenning demo remove”.":
    "Wer diesen Server betreibt, entfernt sie mit „kenning demo remove“.",
};
