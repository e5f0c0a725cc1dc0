import { contract, open } from "./contract.ts";

const NO_QUESTIONS = "the conversation ends with ask_question, which does not exist yet";

/**
 * What the authorization server, its pages and the small API behind the console promise: the contracts' words on
 * authentication, and what today's rules for MCP add to them.
 */
export const oauth = contract("oauth", {
  "oauth.discovery.resource":
    "/.well-known/oauth-protected-resource/<path> describes each of the six endpoints: resource, authorization_servers, scopes_supported, bearer_methods_supported",
  "oauth.discovery.server":
    "/.well-known/oauth-authorization-server names issuer, endpoints, code, S256, grant types, scopes, none, and client id metadata documents",
  "oauth.discovery.spellings":
    "The same stands below /api/oauth/.well-known/, and as protected-resource and authorization-server too",
  "oauth.discovery.openid": "OpenID discovery tells the same for clients that look there",
  "oauth.discovery.unknown-workspace": "The metadata of an unknown workspace looks like that of any other",
  "oauth.discovery.challenge":
    "The 401 of each endpoint names its metadata, and from there a client finds everything",
  "oauth.discovery.true": "Every endpoint that the metadata names is served",

  "oauth.example.typescript": open(
    "The conversation of the contract's TypeScript client works as printed",
    NO_QUESTIONS,
  ),
  "oauth.example.python": open(
    "The conversation of the contract's Python client works as printed",
    NO_QUESTIONS,
  ),

  "oauth.authorize.redirect":
    "A signed-in person who allows it is sent to redirect_uri with code, state and iss, by 302",
  "oauth.authorize.login-required":
    "A client that asks for JSON gets 401 login_required with a login_url that leads through sign-in to the callback",
  "oauth.authorize.sign-in": "A browser that is not signed in goes to the sign-in page and comes back",
  "oauth.authorize.missing":
    "A missing parameter gets 400 {error: invalid_request, error_description: Missing required parameter: …}",
  "oauth.authorize.state": "state comes back as it was sent, and may be left out: PKCE protects the code",
  "oauth.authorize.json":
    "A client that asks for JSON gets every error as a 400 body, a browser gets a page or the redirect",
  "oauth.authorize.limit": "10 requests a minute for each address",
  "oauth.pkce.s256": "PKCE is required, and only S256",

  "oauth.code.once": "A code is good once; used again, it ends what it gave",
  "oauth.code.attempt": "A code is good for one attempt: a wrong verifier, redirect or client uses it up",
  "oauth.code.ttl": "A code is good for ten minutes, or OAUTH_AUTHORIZATION_CODE_TTL_MINUTES",

  "oauth.token.answer":
    "The token answer has access_token, token_type Bearer, expires_in 900, refresh_token and scope",
  "oauth.token.refused":
    "400 {error: invalid_grant, error_description: Invalid or expired authorization code}",
  "oauth.token.claims": "Access tokens are JWTs signed by a published key, with iss, aud and permissions",
  "oauth.token.ttl": "Access tokens live 15 minutes, or JWT_ACCESS_TTL_MINUTES",
  "oauth.token.audience": "A token for one endpoint is good there only; one without resource is good on all",
  "oauth.token.slash": "A trailing slash in resource makes no difference",
  "oauth.token.year": "For /api/2.0/mcp the token is opaque and lives one year",
  "oauth.token.own-power": "A token never does more than its person may, whatever was allowed at consent",

  "oauth.refresh.rotation": "Each refresh gives a new refresh token",
  "oauth.refresh.grace": "Refreshes with one token at once are all given the same, and nothing else",
  "oauth.refresh.reuse":
    "A refresh token used again later, or when what it gave was used, ends the whole connection",
  "oauth.refresh.ttl": "Refresh tokens live 14 days, or JWT_REFRESH_TTL_DAYS",
  "oauth.refresh.scope": "A refresh may ask for fewer scopes, never for more",

  "oauth.scope.default":
    "Without scope: data_agent:read data_agent:write ontologies:read, or what is usual at the resource",
  "oauth.scope.fewer": "The person can allow fewer scopes than were asked for",
  "oauth.scope.step-up": "A 403 insufficient_scope names all scopes to ask for, and a new consent gives them",
  "oauth.scope.reachable": "Every scope that an endpoint's tools ask for can be had at that endpoint",

  "oauth.client.unregistered":
    "A client id nobody registered works on loopback redirects only, and is shown as unverified",
  "oauth.client.registered":
    "Clients can register themselves; their redirects match exactly, any port on loopback",
  "oauth.client.document": "A client id can be the URL of a metadata document",
  "oauth.client.prepared": "The operator can register a client by command line",
  "oauth.client.secret": "A client that registers for a secret must show it, and only its hash is kept",
  "oauth.client.sdk":
    "The official client goes from discovery to a call and a refresh, in its older and its newer mode",
  "oauth.client.conformance": "The conformance suite's authorization scenarios pass",

  "oauth.revoke.client": "A client can revoke its own tokens at /api/oauth/revoke, and nobody else's",
  "oauth.revoke.access":
    "Revoking an access token, signed or not, is answered with 200 and ends it at once on every server",
  "oauth.revoke.person": "A person can end a connected app; its tokens stop at once",
  "oauth.revoke.disabled": "A disabled account loses its sessions, its tokens and its refreshes",

  "oauth.page.browser": "A real browser signs in, consents and lands on the client's callback",
  "oauth.page.script":
    "Everything works without JavaScript and by keyboard, and nothing breaks the content security policy",
  "oauth.page.consent":
    "The consent page says who asks, where it sends the person back to, what it may do, in which workspace",
  "oauth.page.sign-out": "A person can sign out; the browser is then asked again",
  "oauth.page.another-person": "Another person can sign in with the same browser and connect as themselves",

  "oauth.session.password": "A new password ends all other sessions, whoever set it",
  "oauth.session.fixation": "Signing in gives the browser a new session",
  "oauth.session.throttle": "Too many wrong passwords slow down the address that sent them, not the person",
  "oauth.session.audit": "Sign-ins and connected apps are in the audit log",

  "oauth.console.tokens":
    "Tokens can be made, listed (name, kind, scopes, last used, by which client) and revoked",
  "oauth.console.apps": "Connected apps are listed with their scopes, workspace and last use",
  "oauth.console.own": "Nobody sees or ends what belongs to somebody else",
});
