// Downloads pictures given by URL, for platforms that take data only. The URLs are untrusted: egress class `user`.
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { pictureType, type Picture, type VideoRequest } from './request.ts';

const MOST_BYTES = 20 * 1024 * 1024;

export async function pictureData(core: Core, video: VideoRequest): Promise<VideoRequest> {
  const [first, ...others] = video.pictures;
  // These platforms take a first and a last frame; other pictures are only sent by platforms that read addresses.
  return {
    ...video,
    pictures: first === undefined ? [] : [await loadPicture(core, first), ...others],
    lastFrame: video.lastFrame && (await loadPicture(core, video.lastFrame)),
  };
}

async function loadPicture({ egress }: Core, picture: Picture): Promise<Picture> {
  if (!('url' in picture)) return picture;
  // The reason is not disclosed: it would reveal what the address leads to.
  const response = await egress.fetch('user', picture.url, { limitBytes: MOST_BYTES }).catch(() => {
    throw unread();
  });
  if (response.status !== 200) throw unread();
  const bytes = await response.bytes();
  const type = pictureType(bytes);
  if (type === undefined) throw unread();
  return { type, bytes };
}

const unread = (): RelayError =>
  new RelayError('attachment_lost', { detail: 'an address could not be read' }, { param: 'input_reference' });
