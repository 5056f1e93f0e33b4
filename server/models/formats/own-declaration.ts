// A tool of OpenAI's that the client runs, a call of it or a result, as the caller sent it. OpenAI gets it unchanged; other
// upstreams get the function, call or result that carries it.

export interface OwnDeclaration {
  item: Record<string, unknown>;
  /** Paths of what the function, call or result does not have. */
  lost: readonly string[];
}
