// Shows a finished picture from our address, so that callers never learn the upstream's. Who has the address may see it: it
// carries a proof that cannot be guessed. Nothing but pictures passes.
import { answerHeaders } from '#server/relay/caller/answer-headers.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { isPictureProof } from './addresses.ts';
import { draws } from './channels.ts';
import { PLATFORM, type DrawingParts } from './parts.ts';

const mostBytes = 40 * 1024 * 1024;
const seconds = 30;
const mostHops = 3;
/** Formats a browser draws without running anything in them. */
const pictures = /^image\/(?:png|jpeg|webp|gif|avif)\b/i;

export async function showPicture(parts: DrawingParts, incoming: Incoming, id: string): Promise<Response> {
  const { core, rows } = parts;
  const { store } = core;
  const proof = new URL(incoming.request.url).searchParams.get('key') ?? '';
  const tasks = await rows.anyNamed(PLATFORM, id);
  const task = tasks.find((each) => each.result_url !== '' && isPictureProof(store.vault, each, proof));
  if (task === undefined) throw new RelayError('task_unknown');
  const channel = core.catalog.current.channel(task.channel_id);
  const proxy = draws(channel) ? channel.setting.proxy : '';
  const picture = await load(parts, task.result_url, proxy);
  return new Response(picture.bytes, {
    headers: {
      ...answerHeaders(incoming.request, incoming.requestId, picture.type),
      // A preview changes while the drawing goes on.
      'Cache-Control': task.status === 'SUCCESS' ? 'private, max-age=86400, immutable' : 'no-store',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  });
}

/** Every hop goes through the door again, which looks at the address anew. */
async function load(
  { core }: DrawingParts,
  address: string,
  proxy: string,
): Promise<{ type: string; bytes: Uint8Array }> {
  let url = address;
  for (let hop = 0; hop <= mostHops; hop += 1) {
    const response = await core.egress
      .fetch('channel', url, {
        headers: { Accept: 'image/*' },
        timeoutSeconds: seconds,
        limitBytes: mostBytes,
        ...(proxy === '' ? {} : { proxy }),
      })
      .catch((error: unknown) => {
        core.log.warn('a picture could not be read', { error });
        throw new RelayError('upstream_failed');
      });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      const next = URL.parse(location, url);
      if (next === null) break;
      url = next.href;
      continue;
    }
    const type = response.headers.get('content-type') ?? '';
    if (response.status !== 200 || !pictures.test(type)) break;
    return { type, bytes: await response.bytes() };
  }
  throw new RelayError('upstream_failed');
}
