// A channel's key: stored sealed, found by its digest, shown as its last characters.
import type { Row } from '#server/platform/store/schema.ts';
import type { Vault } from '#server/platform/store/vault.ts';

const HINT_CHARACTERS = 4;

/** Binds the sealed key to its row. */
const channelKeyPlace = (channelId: number): string => `channels:${channelId}:key_sealed`;

export function keyColumns(vault: Vault, channelId: number, key: string) {
  return {
    key_sealed: vault.seal(key, channelKeyPlace(channelId)),
    key_digest: vault.digest('channel', key),
    key_hint: key.length >= HINT_CHARACTERS * 4 ? key.slice(-HINT_CHARACTERS) : '',
  };
}

export function openChannelKey(vault: Vault, row: Pick<Row<'channels'>, 'id' | 'key_sealed'>): string {
  return row.key_sealed === '' ? '' : vault.open(row.key_sealed, channelKeyPlace(row.id));
}
