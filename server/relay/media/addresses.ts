// Public addresses of files with a keyed digest in them. Ids can be guessed, the digest cannot; it is the only authorization.
import { timingSafeEqual } from 'node:crypto';
import type { Vault } from '#server/platform/store/vault.ts';
import type { MediaFile } from './file.ts';

const PROOF_LENGTH = 32;

/** `purpose` separates the kinds of addresses: a proof of one kind is worth nothing in another. */
export const proofOf = (vault: Vault, purpose: string, subject: string): string =>
  vault.digest(purpose, subject).slice(0, PROOF_LENGTH);

export function isProof(expected: string, shown: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(shown)];
  return left.length === right.length && timingSafeEqual(left, right);
}

type Named = Pick<MediaFile, 'task' | 'name'>;

const mediaProof = (vault: Vault, { task, name }: Named): string =>
  proofOf(vault, 'media', `${task.hold_id}:${name}`);

export const baseOf = (serverAddress: string): string => serverAddress.replace(/\/+$/, '');

export function mediaAddress(vault: Vault, serverAddress: string, file: Named): string {
  return `${baseOf(serverAddress)}/media/${file.task.id}/${file.name}?key=${mediaProof(vault, file)}`;
}

export const isMediaProof = (vault: Vault, file: Named, proof: string): boolean =>
  isProof(mediaProof(vault, file), proof);

/** `/media/12/audio-0` → 12 and the name. */
export function readMediaPath(path: string): { taskId: number; name: string } | undefined {
  const [, id, name] = /^\/media\/(\d{1,15})\/([a-z]+-\d{1,3})$/.exec(path) ?? [];
  return id === undefined || name === undefined ? undefined : { taskId: Number(id), name };
}
