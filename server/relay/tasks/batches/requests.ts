// The requests of a batch: each is checked as an ordinary call would be, and all together give what the hold is taken for.
import { usageOf, type Usage } from '#server/money/prices/usage.ts';
import { modelAllowed, type Caller } from '#server/relay/caller/authenticate.ts';
import { modelLimits } from '#server/money/prices/model-limits.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { fullBounds } from '#server/relay/money/asked-for.ts';
import { addBounds, NO_BOUNDS, widerBounds, type UsageBounds } from '#server/relay/money/believable-usage.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { refuseSensitive } from '#server/relay/pipeline/pipeline.ts';
import { relayEndpoints, type RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { memberText } from '#server/relay/request/json-members.ts';
import { parseJson } from '#server/relay/request/read-body.ts';
import { prepareJsonBody, type PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { IdPrints } from './asked-ids.ts';

/** Paths whose calls OpenAI takes in batches and whose usage is in their answers. */
const BATCH_PATHS = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/completions',
  '/v1/moderations',
];
const batchEndpoints = new Map(
  relayEndpoints
    .filter(({ path }) => BATCH_PATHS.includes(path))
    .map((endpoint) => [endpoint.path, endpoint]),
);
/** Those of the vendors. */
const MOST_REQUESTS = 100_000;
const LONGEST_ID = 512;
/** State at one channel's upstream, which belongs to its own callers. */
const STATE_FIELDS = ['previous_response_id', 'conversation', 'background'];

export interface BatchRequest {
  readonly customId: string;
  readonly prepared: PreparedCall;
}

/** What is kept of a batch's requests. */
export interface BatchInput {
  readonly model: string;
  /** The caller's path of every request. */
  readonly path: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Prints of the ids; absent, like the bounds, in rows of earlier versions. */
  readonly ids?: string;
  /** The most that one answer, and all together, can have used. */
  readonly bounds?: { readonly each: UsageBounds; readonly all: UsageBounds };
}

export const estimateOf = ({ promptTokens, outputTokens, requests }: BatchInput): Usage =>
  usageOf({ input: promptTokens, output: outputTokens, pieces: requests });

export function batchEndpoint(path: unknown): RelayEndpoint {
  const endpoint = typeof path === 'string' ? batchEndpoints.get(path) : undefined;
  if (endpoint !== undefined) return endpoint;
  const shown = typeof path === 'string' ? path.slice(0, 100) : typeof path;
  throw new RelayError('batch_endpoint', { path: shown, paths: BATCH_PATHS.join(', ') }, { param: 'url' });
}

/** One line of an input file: `{"custom_id", "method", "url", "body"}`. */
export function readLine(text: string): BatchRequest {
  const { value } = parseJson(text);
  if (value['method'] !== 'POST') throw invalid('method');
  const endpoint = batchEndpoint(value['url']);
  const body = memberText(text, 'body');
  if (body === undefined) throw invalid('body');
  return { customId: customIdIn(value), prepared: prepareJsonBody(endpoint, parseJson(body)) };
}

/** `{"custom_id", "params"}`, as Anthropic's batches have them. */
export function readMessage(text: string, endpoint: RelayEndpoint, betas: readonly string[]): BatchRequest {
  const { value } = parseJson(text);
  const params = memberText(text, 'params');
  if (params === undefined) throw invalid('params');
  return { customId: customIdIn(value), prepared: prepareJsonBody(endpoint, parseJson(params), { betas }) };
}

function customIdIn({ custom_id: id }: Readonly<Record<string, unknown>>): string {
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID) throw invalid('custom_id');
  return id;
}

/** Checks requests one after the other and adds them up. */
export class RequestSum {
  readonly #core: Pick<Core, 'filter' | 'settings'>;
  readonly #caller: Caller;
  readonly #ids = new Set<string>();
  readonly #prints = new IdPrints();
  #bounds = { each: NO_BOUNDS, all: NO_BOUNDS };
  #first: PreparedCall | undefined;
  #promptTokens = 0;
  #outputTokens = 0;

  constructor(core: Pick<Core, 'filter' | 'settings'>, caller: Caller) {
    this.#core = core;
    this.#caller = caller;
  }

  add({ customId, prepared }: BatchRequest): void {
    const { endpoint, model, estimate } = prepared;
    this.#first ??= prepared;
    const { model: first, endpoint: usual } = this.#first;
    if (model !== first) throw new RelayError('batch_other_model', { model: first, other: model });
    if (endpoint !== usual)
      throw new RelayError('batch_other_endpoint', { path: usual.path, other: endpoint.path });
    if (this.#ids.has(customId)) throw new RelayError('batch_same_id', { id: customId });
    this.#ids.add(customId);
    if (this.#ids.size > MOST_REQUESTS) throw new RelayError('batch_too_many', { count: MOST_REQUESTS });
    if (prepared.isStream) throw new RelayError('batch_stream', {}, { param: 'stream' });
    for (const name of STATE_FIELDS) {
      const value = prepared.fields[name];
      if (value !== undefined && value !== null && value !== false) throw invalid(name);
    }
    if (!modelAllowed(this.#caller, model)) throw new RelayError('model_not_allowed', { model });
    refuseSensitive(this.#core, prepared);
    this.#prints.add(customId);
    const bounds = fullBounds({ prepared }, 0);
    this.#bounds = { each: widerBounds(this.#bounds.each, bounds), all: addBounds(this.#bounds.all, bounds) };
    this.#promptTokens += estimate.promptTokens;
    if (endpoint.outputLimits.length > 0)
      this.#outputTokens += this.#largestAnswer(model, prepared.outputLimit) * estimate.choices;
  }

  #largestAnswer(model: string, outputLimit: number | undefined): number {
    const { answerTokens, besideTokens } = modelLimits(this.#core.settings.current.ModelLimits, model);
    return (outputLimit ?? answerTokens) + besideTokens;
  }

  get input(): BatchInput {
    if (this.#first === undefined) throw new RelayError('batch_empty');
    return {
      model: this.#first.model,
      path: this.#first.endpoint.path,
      requests: this.#ids.size,
      promptTokens: this.#promptTokens,
      outputTokens: this.#outputTokens,
      ids: this.#prints.text,
      bounds: this.#bounds,
    };
  }
}

/** The body for the channel's upstream. A batch is not converted: its answers would have to be converted too. */
export function bodyFor(channel: Channel, prepared: PreparedCall, requestId: string): string {
  const { body, format } = prepared.bodyFor(channel, requestId);
  if (format !== prepared.endpoint.format || typeof body !== 'string')
    throw new RelayError('model_not_here', { model: prepared.model });
  return body;
}

/** Runs `read` and names the line, or the request, in its errors. */
export function atPlace<T>(kind: 'line' | 'request', number: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const place =
      kind === 'line'
        ? { zh: `第 ${number} 行`, en: `Line ${number}` }
        : { zh: `第 ${number} 个请求`, en: `Request ${number}` };
    throw new RelayError(error.code, error.parameters, { ...error.options, place });
  }
}

const invalid = (field: string): RelayError => new RelayError('invalid_field', { field }, { param: field });
