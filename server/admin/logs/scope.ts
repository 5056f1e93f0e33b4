// What a query of the log selects.

export interface Scope {
  /** Inclusive unix seconds. */
  from: number;
  to: number;
  type: number;
  userId?: number;
  /** Of an organization: the rows say whose call it was; the hourly figures do not. */
  memberId?: number;
  serviceAccountId?: number;
  projectId?: number;
  /** A part of the rows' JSON that only calls with the tag have. */
  tagText?: string;
  /** Only when no account has this name. */
  username?: string;
  tokenIds?: readonly number[];
  /** Only when no token has this name. */
  tokenName?: string;
  /** Exact names, or patterns with `%`. */
  models?: readonly string[];
  /** The names in the hourly figures that match `models`; only when there are patterns. */
  modelNames?: readonly string[];
  channelId?: number;
  group?: string;
  requestId?: string;
  /** Contents of failed calls of one cause; only such rows are selected. */
  contents?: readonly string[];
}

/** Has a filter that the hourly figures can apply too. */
export function hasCellFilter(scope: Scope): boolean {
  return scope.tokenIds !== undefined || scope.models !== undefined || scope.channelId !== undefined;
}

/** Has a filter that only the rows can apply. */
export function hasNameFilter(scope: Scope): boolean {
  return (
    scope.username !== undefined ||
    scope.tokenName !== undefined ||
    scope.memberId !== undefined ||
    scope.serviceAccountId !== undefined ||
    scope.projectId !== undefined ||
    scope.tagText !== undefined
  );
}

export function withoutNames(scope: Scope): Scope {
  const {
    username: _,
    tokenName: __,
    memberId: ___,
    serviceAccountId: ____,
    projectId: _____,
    tagText: ______,
    ...others
  } = scope;
  return others;
}
