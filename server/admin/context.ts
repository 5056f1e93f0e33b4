// The call a handler answers. server/admin/http makes it; it is declared here because nouns may not import server/admin/http.
import type { Transaction } from 'kysely';
import type { Caller, Flow, Log, OrganizationScope } from '#contract/context.ts';
import type {
  AnyEndpoint,
  EndpointGroup,
  Handler as HandlerOf,
  Handlers as HandlersOf,
} from '#contract/endpoint.ts';
import type { AuditAction } from '#contract/admin/audit.ts';
import type { AuditTarget } from '#contract/admin/audit-targets.ts';
import type { Language } from '#contract/language.ts';
import type { Schema } from '#server/platform/store/schema.ts';

export { accountOf, callerOf, onlyMemberOf } from '#contract/context.ts';
export type { Account, Caller, Flow, Log, OrganizationScope } from '#contract/context.ts';

/** What is audited although it changes no row: a refusal, a secret that was read, a file, a mail, an operator's request. */
export type AuditedEvent =
  | 'answer_cache.purge'
  | 'audit.export'
  | 'channel.reveal'
  | 'channel.reveal_refused'
  | 'channel.update_balances'
  | 'job.run'
  | 'log.cleanup_failed'
  | 'log.export'
  | 'mail.test'
  | 'passkey.refused'
  | 'redemption.read_keys'
  | 'redemption.refused'
  | 'rerating.export'
  | 'shadow.read_texts'
  | 'session.confirm_refused'
  | 'session.refused'
  | 'statement.export'
  | 'token.find_key'
  | 'token.read_keys'
  | 'two_factor.refused'
  | 'user.register_refused';

export interface RequestContext {
  readonly user: Caller | null;
  /** Undefined in the personal scope; `accountOf` says whose data the call is about. */
  readonly organization?: OrganizationScope | undefined;
  /** How the caller authenticated; null for visitors. `admin_key`: the key of an organization acts for the member who made it. */
  readonly via: 'session' | 'access_token' | 'admin_key' | null;
  /** Digest of the session id, never the id itself. */
  readonly sessionDigest: string | null;
  /** When this session signed in or confirmed itself last, in unix seconds; 0 without a session. */
  readonly verifiedAt: number;
  readonly flow: Flow;
  /** The caller's address; forwarded addresses count only from trusted proxies. */
  readonly address: string;
  readonly userAgent: string;
  readonly language: Language;
  readonly requestId: string;
  readonly log: Log;
  /**
   * Adds the audit row of a change in the transaction of the change, so that both commit or neither. Call it last: on
   * PostgreSQL it locks the audit chain until the commit, and a transaction that waits for a row lock after it can
   * deadlock. `before` and `after` must not hold secrets.
   */
  audit(
    transaction: Transaction<Schema>,
    action: AuditAction,
    target: AuditTarget,
    before?: unknown,
    after?: unknown,
  ): Promise<void>;
  /** Adds the audit row of something that changes no row, in a transaction of its own. */
  auditEvent(event: AuditedEvent, target: AuditTarget, detail?: unknown): Promise<void>;
  /** Signs the browser in under a new session id; its previous session ends. The cookie is set if the handler succeeds. `organizationId`: the one whose provider signed in. */
  startSession(
    transaction: Transaction<Schema>,
    user: Pick<Caller, 'id' | 'username'>,
    organizationId?: number,
  ): Promise<void>;
  /** The caller has authenticated again: endpoints with `stepUp` accept this session for the next minutes. */
  confirmSession(transaction: Transaction<Schema>): Promise<void>;
  /** Ends the browser's session, if it has one. */
  endSession(transaction: Transaction<Schema>): Promise<void>;
}

/** Who writes: the audit row names them. Commands and jobs have no request, and give an audit of their own. */
export type Actor = Pick<RequestContext, 'audit'>;

/** The function that answers one endpoint of the contract. */
export type Handler<E extends AnyEndpoint> = HandlerOf<E, RequestContext>;
/** One for each endpoint of the group; a missing one does not compile. */
export type Handlers<Group extends EndpointGroup> = HandlersOf<Group, RequestContext>;
