// OpenAI's endpoints that issue secrets for realtime sessions: the present one and the two of the beta. Free, but counted in
// the caller's limits; the sessions are charged to the token that asked for the secret.
import { randomBytes } from 'node:crypto';
import { isObject, member, text, type Json } from '#server/models/formats/json.ts';
import { modelAllowed } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { json, route, type RelayRoutes } from '#server/relay/entry/handler.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { issueSecret, modelOfSession } from '#server/relay/realtime/client-secrets.ts';
import { realtimeEndpoint } from '#server/relay/realtime/open-session.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { modelOf } from '#server/relay/upstream-body/prepare.ts';
import { refuseSharedObjects } from '#server/relay/upstream-body/shared-account.ts';
import { freeCaller } from './free-call.ts';

/** OpenAI's limits. */
const SECONDS = { least: 10, most: 7200, usual: 600, beta: 60 };

export function clientSecretRoutes(core: Core): RelayRoutes {
  return {
    '/v1/realtime/client_secrets': route(core, 'POST', (incoming) => createSecret(core, incoming)),
    '/v1/realtime/sessions': beta(core, 'realtime.session'),
    '/v1/realtime/transcription_sessions': beta(core, 'realtime.transcription_session'),
  };
}

async function createSecret(core: Core, incoming: Incoming): Promise<Response> {
  const { value: body } = await readJson(incoming);
  const session = body['session'] ?? {};
  if (!isObject(session)) throw invalid('session');
  const type = text(session['type']) || 'realtime';
  if (type !== 'realtime' && type !== 'transcription') throw invalid('session.type');
  const given = { ...session, type };
  const { value, expiresAt, model } = await issue(core, incoming, given, lifeIn(body));
  const object = type === 'realtime' ? 'realtime.session' : 'realtime.transcription_session';
  const named = type === 'realtime' ? { model } : {};
  const shown = { ...given, ...named, object, id: newId(), expires_at: 0 };
  return json(incoming, { value, expires_at: expiresAt, session: shown });
}

function beta(core: Core, object: string): RelayRoutes[string] {
  return route(core, 'POST', async (incoming) => {
    const { value: body } = await readJson(incoming);
    const { value, expiresAt } = await issue(core, incoming, body, SECONDS.beta);
    const client_secret = { value, expires_at: expiresAt };
    return json(incoming, { ...body, object, id: newId(), expires_at: 0, client_secret });
  });
}

async function issue(core: Core, incoming: Incoming, session: Json, lifeSeconds: number) {
  refuseSharedObjects('openai-realtime', { session });
  const model = modelOf(modelOfSession(session), realtimeEndpoint);
  incoming.model = model;
  const caller = await freeCaller(core, incoming, '/v1/realtime/client_secrets', async (asking) => {
    if (!modelAllowed(asking, model)) throw new RelayError('model_not_allowed', { model });
    return model;
  });
  return { ...(await issueSecret(core.store, { caller, model, session, lifeSeconds })), model };
}

function lifeIn(body: Json): number {
  const given = member(body['expires_after'])['seconds'];
  if (given === undefined || given === null) return SECONDS.usual;
  if (!Number.isSafeInteger(given) || Number(given) < SECONDS.least || Number(given) > SECONDS.most)
    throw invalid('expires_after.seconds');
  return Number(given);
}

const newId = (): string => `sess_${randomBytes(12).toString('hex')}`;
const invalid = (field: string): RelayError => new RelayError('invalid_field', { field }, { param: field });
