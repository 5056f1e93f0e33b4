// Gemini's API: the path holds the model and the verb, under /v1beta (or /v1alpha, /v1), as Google's clients write it.
import type { Core } from '#server/relay/pipeline/core.ts';
import { countTokens } from '#server/relay/listings/count-tokens.ts';
import { geminiEndpoints } from '#server/relay/request/endpoints.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { listGeminiModels, readGeminiModel } from '#server/relay/listings/models.ts';
import { relayCall } from '#server/relay/pipeline/pipeline.ts';
import { refuseState, whyUnserved } from './unserved.ts';
import { modelOf, prepareJson } from '#server/relay/upstream-body/prepare.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import {
  answerAuthenticated,
  betasOf,
  decode,
  isStrict,
  json,
  pathOf,
  route,
  type RelayHandler,
} from '#server/relay/entry/handler.ts';

const CALL_PATH = /^\/v1(?:beta|alpha)?\/models\/(.+):(\w+)$/;

export function geminiRoutes(core: Core): Record<string, RelayHandler> {
  const list = route(core, 'GET', (incoming) =>
    answerAuthenticated(core, incoming, (caller) =>
      listGeminiModels(caller, core, new URL(incoming.request.url).searchParams),
    ),
  );
  const one = route(core, 'GET', (incoming) => {
    const id = decode(pathOf(incoming.request).replace(/^\/v1(?:beta|alpha)\/models\//, ''));
    return answerAuthenticated(core, incoming, (caller) => readGeminiModel(caller, core, id));
  });
  const call = geminiCall(core);
  // Only models that were trained upstream can be changed or deleted.
  const refuseChange = refuseState(core);
  const byMethod: Record<string, RelayHandler> = { GET: one, PATCH: refuseChange, DELETE: refuseChange };
  const either: RelayHandler = (request, connection) =>
    (byMethod[request.method] ?? call)(request, connection);
  return {
    '/v1beta/models': list,
    '/v1alpha/models': list,
    '/v1beta/models/*': either,
    '/v1alpha/models/*': either,
  };
}

/** A call named by its path; also for clients that write /v1. */
export function geminiCall(core: Core): RelayHandler {
  return route(core, 'POST', async (incoming) => {
    const { request, address } = incoming;
    const path = pathOf(request);
    const [, named = '', verb = ''] = CALL_PATH.exec(path) ?? [];
    const endpoint = Object.hasOwn(geminiEndpoints, verb) ? geminiEndpoints[verb] : undefined;
    if (endpoint === undefined && verb !== 'countTokens')
      throw (
        whyUnserved(path) ??
        new RelayError('unknown_route', { method: request.method, path: path.slice(0, 200) })
      );
    const caller = await core.authenticator.authenticate(request, address, core.settings.current);
    incoming.caller = caller;
    const model = decode(named);
    if (endpoint === undefined) {
      const wish = { format: 'gemini-generate', json: await readJson(incoming) } as const;
      const [generate] = Object.values(geminiEndpoints);
      if (generate === undefined) throw new RelayError('internal');
      const count = await countTokens(core, incoming, caller, { ...wish, model: modelOf(model, generate) });
      return json(incoming, count);
    }
    const isStream = verb === 'streamGenerateContent';
    const prepared = await prepareJson(endpoint, incoming, {
      model,
      isStream,
      wantsArray: isStream && !/[?&]alt=sse(?:&|$)/.test(request.url),
      isStrict: isStrict(core, request, caller),
      betas: betasOf(request),
    });
    return await relayCall(core, incoming, caller, prepared);
  });
}
