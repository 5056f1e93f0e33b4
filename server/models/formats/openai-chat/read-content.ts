// Parts of a chat message in upstreams' variants: text in parts, probabilities, citations, images, audio.
import type { CanonicalEvent, CanonicalLogprob } from '#server/models/formats/canonical.ts';
import { isObject, member, number, objects, text, type Json } from '#server/models/formats/json.ts';
import { mediaTypeOfAudio, parseDataUrl } from '#server/models/formats/media.ts';

/** Some upstreams send an object in place of a string. */
export function argumentsOf(described: Json): string {
  const given = described['arguments'];
  return isObject(given) ? JSON.stringify(given) : text(given);
}

/** Content in parts: text, and reasoning if the upstream mixes it in. */
export function textOfParts(choice: number, given: unknown, events: CanonicalEvent[]): string {
  let content = '';
  for (const part of objects(given)) {
    if (part['type'] === 'thinking' || part['type'] === 'reasoning') {
      const inner = part['thinking'] ?? part['text'];
      const thought =
        typeof inner === 'string'
          ? inner
          : objects(inner)
              .map((piece) => text(piece['text']))
              .join('');
      if (thought !== '') events.push({ type: 'reasoning-delta', choice, text: thought });
    } else content += text(part['text']);
  }
  return content;
}

export function readLogprobs(given: unknown): CanonicalLogprob[] {
  return objects(given).flatMap((entry) => {
    const logprob = number(entry['logprob']);
    if (logprob === undefined) return [];
    const top = objects(entry['top_logprobs']).map((other) => ({
      token: text(other['token']),
      logprob: number(other['logprob']) ?? 0,
      ...bytesOf(other),
    }));
    return [
      { token: text(entry['token']), logprob, ...bytesOf(entry), ...(top.length === 0 ? {} : { top }) },
    ];
  });
}

const bytesOf = (entry: Json): { bytes?: number[] | null } =>
  Array.isArray(entry['bytes']) ? { bytes: (entry['bytes'] as unknown[]).map(Number) } : {};

export function addAnnotations(choice: number, annotations: readonly Json[], events: CanonicalEvent[]): void {
  for (const raw of annotations) {
    const cited = member(raw['url_citation']);
    events.push({ type: 'citation', choice, citation: { ...placeOf(cited), origin: 'openai', raw } });
  }
}

export function placeOf(cited: Json): { url?: string; title?: string; start?: number; end?: number } {
  const start = number(cited['start_index']);
  const end = number(cited['end_index']);
  return {
    ...(text(cited['url']) === '' ? {} : { url: text(cited['url']) }),
    ...(text(cited['title']) === '' ? {} : { title: text(cited['title']) }),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  };
}

export function addImages(choice: number, images: readonly Json[], events: CanonicalEvent[]): void {
  for (const image of images) {
    const url = text(member(image['image_url'])['url']);
    if (url === '') continue;
    const inline = parseDataUrl(url);
    events.push({ type: 'image', choice, ...(inline ?? { mediaType: 'image/png', url }) });
  }
}

export function addAudio(choice: number, audio: Json, events: CanonicalEvent[]): void {
  const expiresAt = number(audio['expires_at']);
  events.push({
    type: 'audio-delta',
    choice,
    ...(text(audio['id']) === '' ? {} : { id: text(audio['id']) }),
    ...(text(audio['data']) === '' ? {} : { data: text(audio['data']) }),
    ...(text(audio['transcript']) === '' ? {} : { transcript: text(audio['transcript']) }),
    ...(text(audio['format']) === '' ? {} : { mediaType: mediaTypeOfAudio(text(audio['format'])) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
}
