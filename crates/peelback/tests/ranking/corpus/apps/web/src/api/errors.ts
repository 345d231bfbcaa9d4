export interface ProblemBody {
  code?: string;
  title?: string;
  fields?: Record<string, string>;
}

/** The server answered, but not with what we asked for. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: Record<string, string> = {},
    readonly requestId: string | null = null,
  ) {
    super(message);
    this.name = "ApiError";
  }

  static async fromResponse(response: Response): Promise<ApiError> {
    let problem: ProblemBody = {};
    try {
      problem = (await response.json()) as ProblemBody;
    } catch {
      // A proxy in between answers in HTML.
    }
    return new ApiError(
      response.status,
      problem.code ?? `http_${response.status}`,
      problem.title ?? response.statusText,
      problem.fields,
      response.headers.get("x-request-id"),
    );
  }
}

/** No answer at all: offline, DNS, or the request was given up. */
export class NetworkError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NetworkError";
  }
}

const FRIENDLY: Record<string, string> = {
  parcel_not_found: "We don't know this tracking number. Please check it for typing mistakes.",
  parcel_closed: "This parcel is already delivered or cancelled.",
  depot_forbidden: "You can only do this for parcels of your own depot.",
  rate_limited: "That was a bit fast. Please wait a moment and try again.",
};

/** What to put into the red banner for anything that was thrown. */
export function describeFailure(error: unknown): string {
  if (error instanceof NetworkError) {
    return "No connection. Your changes are kept until you are back online.";
  }
  if (error instanceof ApiError) {
    const known = FRIENDLY[error.code];
    if (known) return known;
    if (error.status >= 500) {
      const reference = error.requestId ? ` (reference ${error.requestId})` : "";
      return `Something went wrong on our side${reference}.`;
    }
    return error.message;
  }
  return "Something unexpected happened. Please reload the page.";
}
