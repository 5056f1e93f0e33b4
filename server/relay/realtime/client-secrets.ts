// Short-lived secrets (`ek_…`) with which a browser opens a realtime session. A secret names the token that issued it and
// nothing else opens with it: the session is that token's call, with its limits and its money, for one model and with the
// configuration that was asked for. Only a digest is stored; the secret is shown once.
import { randomBytes } from 'node:crypto';
import { unixSeconds } from '#contract/time.ts';
import { isObject, member, text, type Json } from '#server/models/formats/json.ts';
import type { Authenticator, Caller } from '#server/relay/caller/authenticate.ts';
import { presentedKey, SECRET_PREFIX } from '#server/relay/caller/authenticate.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { CallerCheck } from './session-admission.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface SecretWish {
  readonly caller: Pick<Caller, 'userId' | 'tokenId'>;
  readonly model: string;
  readonly session: Json;
  readonly lifeSeconds: number;
}

export interface OpenedSecret {
  readonly tokenId: number;
  readonly model: string;
  readonly session: Json;
}

const MOST_SECRETS = 100;
const LONGEST_SESSION = 64 * 1024;
const PURPOSE = 'realtime-secret';

export async function removeExpiredSecrets({ db }: Store): Promise<void> {
  await db.deleteFrom('realtime_secrets').where('expires_at', '<', unixSeconds()).execute();
}

export async function issueSecret(
  { db, vault }: Store,
  { caller, model, session, lifeSeconds }: SecretWish,
): Promise<{ value: string; expiresAt: number }> {
  const written = JSON.stringify(session);
  if (written.length > LONGEST_SESSION)
    throw new RelayError('invalid_field', { field: 'session' }, { param: 'session' });
  const created_at = unixSeconds();
  const { count } = await db
    .selectFrom('realtime_secrets')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('user_id', '=', caller.userId)
    .where('expires_at', '>', created_at)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MOST_SECRETS) throw new RelayError('secrets_full', { count: MOST_SECRETS });
  const value = `${SECRET_PREFIX}${randomBytes(24).toString('hex')}`;
  const expiresAt = created_at + lifeSeconds;
  await db
    .insertInto('realtime_secrets')
    .values({
      digest: vault.digest(PURPOSE, value),
      user_id: caller.userId,
      token_id: caller.tokenId,
      model,
      created_at,
      expires_at: expiresAt,
      session: written,
    })
    .execute();
  return { value, expiresAt };
}

/** Undefined when the request carries an API key. */
export async function openSecret(
  { db, vault }: Store,
  request: Pick<Request, 'headers' | 'url'>,
): Promise<OpenedSecret | undefined> {
  const key = presentedKey(request)?.whole ?? '';
  if (!key.startsWith(SECRET_PREFIX)) return undefined;
  const row = await db
    .selectFrom('realtime_secrets')
    .select(['token_id', 'model', 'session'])
    .where('digest', '=', vault.digest(PURPOSE, key))
    .where('expires_at', '>', unixSeconds())
    .executeTakeFirst();
  if (row === undefined) throw new RelayError('secret_unknown');
  return { tokenId: row.token_id, model: row.model, session: member(JSON.parse(row.session)) };
}

/** Asks again and again whether the caller of a session may go on. A session outlives its secret, but not the token. */
export function callerCheck(
  authenticator: Authenticator,
  secret: OpenedSecret | undefined,
  { request, address }: { request: Request; address: string },
): CallerCheck {
  return (settings) =>
    secret === undefined
      ? authenticator.authenticate(request, address, settings)
      : authenticator.authenticateIssuer(secret.tokenId, address, settings);
}

/** The model of a session: of one that only transcribes it is named with the transcription. */
export function modelOfSession(session: Json): unknown {
  const input = member(member(session['audio'])['input']);
  const transcription = input['transcription'] ?? session['input_audio_transcription'];
  return session['model'] ?? (isObject(transcription) ? transcription['model'] : undefined);
}

/** The event that configures the session as its secret says; undefined when that is nothing. */
export function openingEvent({ session }: OpenedSecret): string | undefined {
  const { model: _fixed, ...rest } = session;
  const isPlain = Object.keys(rest).every((name) => name === 'type' && text(rest[name]) === 'realtime');
  return isPlain ? undefined : JSON.stringify({ type: 'session.update', session: rest });
}
