// What a node knows of the place it runs at: how full the disk of its data is, and when its certificate ends.
import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import type { NodeReport } from '#contract/operating/cluster.ts';

export type PlaceFacts = Pick<NodeReport, 'disk_percent' | 'certificate_ends_at'>;

/** Reports are more frequent than these facts change. */
const KEPT_MS = 60_000;

interface Place {
  dataDir: string;
  /** The file of the certificate; undefined when the node serves without TLS. */
  certificate: string | undefined;
}

export function createPlaceFacts({ dataDir, certificate }: Place): () => Promise<PlaceFacts> {
  let kept: { facts: PlaceFacts; until: number } | undefined;
  return async () => {
    if (kept === undefined || performance.now() >= kept.until) {
      const facts = { ...(await diskOf(dataDir)), ...(await certificateOf(certificate)) };
      kept = { facts, until: performance.now() + KEPT_MS };
    }
    return kept.facts;
  };
}

/** As `df` counts: blocks that only the system may use are neither free nor used. */
async function diskOf(directory: string): Promise<PlaceFacts> {
  try {
    const { blocks, bfree, bavail } = await statfs(directory);
    const used = blocks - bfree;
    return used + bavail > 0 ? { disk_percent: Math.round((used * 100) / (used + bavail)) } : {};
  } catch {
    return {};
  }
}

async function certificateOf(file: string | undefined): Promise<PlaceFacts> {
  if (file === undefined) return {};
  try {
    const { validTo } = new X509Certificate(await readFile(file));
    return { certificate_ends_at: Math.floor(Date.parse(validTo) / 1000) };
  } catch {
    return {};
  }
}
