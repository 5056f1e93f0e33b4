// The proxy in a channel's `setting` JSON.
import { isJsonObject } from '#contract/relay/channel-fields.ts';

/** Empty when there is none. */
export function proxyOf(setting: string): string {
  if (!isJsonObject(setting)) return '';
  const { proxy } = JSON.parse(setting) as { proxy?: unknown };
  return typeof proxy === 'string' ? proxy.trim() : '';
}
