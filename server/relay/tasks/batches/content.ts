// The content of a file at an upstream, read piece by piece: passed to a caller, or read for the usage in it.
import { withHeaders, readAll, type OutboundCall, type Answer } from '#server/platform/egress/index.ts';
import type { Format } from '#server/models/formats/format.ts';
import { answerHeaders } from '#server/relay/caller/response.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { streamResponse, type StreamSink } from '#server/relay/caller/response.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapStatus } from '#server/relay/channel-choice/mapping.ts';
import { failureOf, httpFailure, type UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { LineSplitter } from './lines.ts';

const TIMEOUTS = { firstByteSeconds: 60, idleSeconds: 60, totalSeconds: 3600 };
const ERROR_BYTES = 1024 * 1024;

export interface OpenContent {
  readonly call: OutboundCall;
  readonly answer: Answer;
}

export async function openContent(
  core: Core,
  channel: Channel,
  format: Format,
  path: string,
): Promise<OpenContent | { failure: UpstreamFailure }> {
  const url = new URL(channel.provider.url(channel, { format, path, model: '', isStream: false }));
  try {
    const target = await core.egress.target('channel', url.origin, channel.setting.proxy);
    const call = core.egress.open(target, {
      method: 'GET',
      path: url.pathname + url.search,
      headers: withHeaders(new Headers(channel.headers), {}),
      timeouts: TIMEOUTS,
    });
    const answer = await call.answer;
    if (answer.status >= 200 && answer.status <= 299) return { call, answer };
    const text = new TextDecoder().decode(await readAll(call, answer, ERROR_BYTES));
    const mapped = mapStatus(channel.statusMapping, answer.status);
    return { failure: httpFailure(answer.status, mapped, text, answer.header('retry-after')) };
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return { failure };
  }
}

/** Sends the content to the caller as it arrives; `changeLine` gives each line as the caller may read it. */
export function passContent(
  core: Core,
  incoming: Incoming,
  { call, answer }: OpenContent,
  changeLine?: (line: string) => string,
): Response {
  const headers = answerHeaders(incoming.request, incoming.requestId, 'application/octet-stream');
  let hasLeft = false;
  async function run(sink: StreamSink): Promise<void> {
    const splitter = changeLine === undefined ? undefined : new LineSplitter();
    for (;;) {
      const piece = await answer.read();
      if (splitter === undefined || changeLine === undefined) {
        if (piece !== undefined) sink.write(piece);
      } else
        for (const found of splitter.push(piece)) {
          if ('line' in found) sink.write(found.line === '' ? '\n' : `${changeLine(found.line)}\n`);
          else sink.write(found.isEnd ? `${found.long}\n` : found.long);
        }
      if (piece === undefined || hasLeft) return;
      await sink.flush();
    }
  }
  const body = {
    attach(sink: StreamSink) {
      void run(sink)
        .then(() => sink.close())
        .catch((error: unknown) => {
          call.abort();
          core.log.warn('the content of a file broke off', { request_id: incoming.requestId, error });
          sink.cut();
        });
    },
    left() {
      hasLeft = true;
      call.abort();
    },
  };
  return streamResponse(body, headers, incoming.connection);
}
