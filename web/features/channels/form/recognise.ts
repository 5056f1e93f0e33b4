/** Reads a pasted curl command or lines of an environment file: which upstream, which address, which key. */
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';

export interface Recognised {
  type?: number;
  base_url?: string;
  key?: string;
}

const CUSTOM_PATHS = /\/(v1\/)?(chat\/completions|completions|embeddings|models|messages|responses)\/?$/;
const KEY_SHAPE = /^[\w.~+/=|-]{8,}$/;

export function recognise(text: string, types: readonly ChannelType[]): Recognised {
  const url = /https?:\/\/[^\s'"\\<>]+/.exec(text)?.[0];
  const key = keyIn(text);
  const found: Recognised = {};
  if (key !== undefined) found.key = key;
  if (url !== undefined) {
    const parsed = URL.parse(url);
    const type = types.find(
      (each) => each.default_base_url !== '' && URL.parse(each.default_base_url)?.host === parsed?.host,
    );
    const base = url.replace(CUSTOM_PATHS, '').replace(/\/(v1)?\/?$/, '');
    found.type = type?.type ?? CHANNEL_TYPE.openAi;
    if (!type || type.default_base_url !== base) found.base_url = base;
    return found;
  }
  if (key?.startsWith('sk-ant-')) found.type = CHANNEL_TYPE.anthropic;
  else if (key?.startsWith('AIza')) found.type = CHANNEL_TYPE.gemini;
  else if (key?.startsWith('sk-or-')) found.type = CHANNEL_TYPE.openRouter;
  else if (key !== undefined) found.type = CHANNEL_TYPE.openAi;
  return found;
}

function keyIn(text: string): string | undefined {
  const candidates = [
    /(?:authorization:\s*bearer\s+)([^\s'"\\]+)/i.exec(text)?.[1],
    /(?:x-api-key|api-key|x-goog-api-key):\s*([^\s'"\\]+)/i.exec(text)?.[1],
    /\b[\w]*(?:API_KEY|AUTH_TOKEN|SECRET_KEY)\s*=\s*["']?([^\s"']+)/i.exec(text)?.[1],
    /\b(sk-[\w-]{8,})/.exec(text)?.[1],
  ];
  return candidates.find((candidate) => candidate !== undefined && KEY_SHAPE.test(candidate));
}
