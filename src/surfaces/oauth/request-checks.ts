/** What an authorization request must bring, each as a small check of its own. */

export interface RequestProblem {
  error: "invalid_request" | "unsupported_response_type";
  error_description: string;
}

type Check = (params: URLSearchParams) => RequestProblem | undefined;

/** Without state: official clients may leave it out, and PKCE protects what it was for. */
const REQUIRED = ["response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method"];

const requiredParameters: Check = (params) => {
  const missing = REQUIRED.find((name) => (params.get(name) ?? "") === "");
  return missing === undefined ? undefined : invalid(`Missing required parameter: ${missing}`);
};

const noDuplicates: Check = (params) => {
  const twice = [...params.keys()].find((name) => name !== "resource" && params.getAll(name).length > 1);
  return twice === undefined ? undefined : invalid(`Parameter given twice: ${twice}`);
};

/** RFC 6749 allows none in any parameter, and some would not survive the way to the client. */
const noControlCharacters: Check = (params) => {
  const bad = [...params].find(([name, value]) => /\p{Cc}/u.test(name + value));
  return bad === undefined ? undefined : invalid("Parameters must not contain control characters");
};

const codeOnly: Check = (params) =>
  params.get("response_type") === "code"
    ? undefined
    : { error: "unsupported_response_type", error_description: "response_type must be code" };

const s256Only: Check = (params) =>
  params.get("code_challenge_method") === "S256" ? undefined : invalid("code_challenge_method must be S256");

const challengeForm: Check = (params) =>
  /^[A-Za-z0-9_-]{43}$/.test(params.get("code_challenge") ?? "")
    ? undefined
    : invalid("code_challenge must be a SHA-256 in base64url: 43 characters");

/** Other ways back to the client need a script on a page of ours, or leave the code where scripts can read it. */
const queryOnly: Check = (params) =>
  ["", "query"].includes(params.get("response_mode") ?? "")
    ? undefined
    : invalid("response_mode must be query");

const CHECKS: readonly Check[] = [
  noControlCharacters,
  noDuplicates,
  requiredParameters,
  codeOnly,
  s256Only,
  challengeForm,
  queryOnly,
];

/** The first thing that is wrong with an authorization request, before anybody looks at client or redirect. */
export function findProblem(params: URLSearchParams): RequestProblem | undefined {
  for (const check of CHECKS) {
    const problem = check(params);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function invalid(description: string): RequestProblem {
  return { error: "invalid_request", error_description: description };
}
