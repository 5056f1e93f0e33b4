// Whose a refused call was.
/** In an organization. */
export interface RefusedHolder {
  readonly memberId: number;
  readonly serviceAccountId: number;
  readonly projectId: number;
}

/** Whose call it was, where the error itself is about the token. */
export interface RefusedOwner {
  readonly userId: number;
  readonly tokenId: number;
  readonly group: string;
  readonly organization?: RefusedHolder | undefined;
}
