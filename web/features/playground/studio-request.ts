/** The requests of the media tabs, as a client with the token would write them, and what their answers say. */
import { MUSIC_MODELS } from '#contract/relay/tasks.ts';
import type { PlaygroundMedia } from '#web/ui/media/again.ts';

export interface StudioDraft {
  kind: PlaygroundMedia;
  model: string;
  prompt: string;
  /** Songs only. */
  title: string;
  tags: string;
  /** Blank: as the model does. */
  size: string;
  /** Number of pictures. */
  count: number;
  /** Of a video; 0: as the model does. */
  seconds: number;
  /** Addresses of pictures for a video, with spaces between them; used without a file. */
  pictureUrls: string;
  reference: File | undefined;
}

export interface Sent {
  path: string;
  body: Record<string, unknown> | FormData;
}

/** Fields that were left blank are not sent. */
function known(fields: Record<string, string | number>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== 0));
}

function withFile(fields: Record<string, string | number>, name: string, file: File): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.append(key, String(value));
  form.append(name, file, file.name);
  return form;
}

export function studioRequest(draft: StudioDraft): Sent {
  const { kind, model, size, seconds, count, title, tags, reference } = draft;
  const prompt = draft.prompt.trim();
  if (kind === 'image') {
    const fields = known({ model, prompt, n: count, size });
    if (reference) return { path: '/v1/images/edits', body: withFile(fields, 'image', reference) };
    return { path: '/v1/images/generations', body: fields };
  }
  if (kind === 'video') {
    const fields = known({ model, prompt, size, seconds: seconds === 0 ? '' : String(seconds) });
    if (reference) return { path: '/v1/videos', body: withFile(fields, 'input_reference', reference) };
    const images = draft.pictureUrls.split(/\s+/).filter((address) => address !== '');
    return { path: '/v1/videos', body: images.length === 0 ? fields : { ...fields, images } };
  }
  if (model === MUSIC_MODELS.lyrics) return { path: '/suno/submit/lyrics', body: { prompt } };
  // With a title or a style the prompt is the text of the song, else its description.
  const isOwnText = title !== '' || tags !== '';
  const body = isOwnText ? known({ prompt, title, tags }) : { gpt_description_prompt: prompt };
  return { path: '/suno/submit/music', body };
}

/** The sentence of an error answer, in whichever format the API writes it. */
export function failureSentence(text: string, status: number): string {
  try {
    const { error, message } = JSON.parse(text) as { error?: { message?: unknown }; message?: unknown };
    for (const words of [error?.message, message])
      if (typeof words === 'string' && words !== '') return words;
  } catch {
    // Not JSON.
  }
  return `HTTP ${status}`;
}

export function picturesIn(data: unknown): string[] {
  const list = Array.isArray(data) ? (data as { url?: unknown; b64_json?: unknown }[]) : [];
  return list.flatMap(({ url, b64_json }) => {
    if (typeof b64_json === 'string' && b64_json !== '') return [`data:image/png;base64,${b64_json}`];
    return typeof url === 'string' && url !== '' ? [url] : [];
  });
}
