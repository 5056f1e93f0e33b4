// What the nodes report: disks, certificates, versions, and nodes that report no more.
import { DAY_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, markOf, type Found } from './found.ts';
import { readReportedNodes, type ReportedNode } from './system.ts';

const DISK_PERCENT = 85;
const CERTIFICATE_DAYS = 14;
/** Twelve reports. */
const GONE_AFTER_SECONDS = 60;

type Values = Record<string, string | number>;

async function running(dependencies: AttentionDependencies): Promise<ReportedNode[]> {
  const from = nowSeconds(dependencies) - GONE_AFTER_SECONDS;
  return (await readReportedNodes(dependencies)).filter(({ reported_at }) => reported_at >= from);
}

const subjectOf = ({ id }: ReportedNode) => ({ kind: 'node' as const, id, name: id });

export async function checkDisk(dependencies: AttentionDependencies): Promise<Found[]> {
  return (await running(dependencies)).flatMap((node) => {
    const { id, disk_percent: percent = 0 } = node;
    if (percent <= DISK_PERCENT) return [];
    return found('disk_full', {
      of: id,
      // Five percent more are another fact.
      mark: String(Math.floor(percent / 5)),
      since: 0,
      subjects: [subjectOf(node)],
      values: { percent },
      address: '/nodes',
    });
  });
}

export async function diskFact(dependencies: AttentionDependencies): Promise<Values> {
  const known = (await running(dependencies)).flatMap(({ disk_percent }) => disk_percent ?? []);
  return known.length === 0 ? {} : { percent: Math.max(...known) };
}

export async function checkCertificate(dependencies: AttentionDependencies): Promise<Found[]> {
  const now = nowSeconds(dependencies);
  return (await running(dependencies)).flatMap((node) => {
    const { id, certificate_ends_at: ends_at } = node;
    if (ends_at === undefined || ends_at >= now + CERTIFICATE_DAYS * DAY_SECONDS) return [];
    return found('certificate_ending', {
      of: id,
      mark: String(ends_at),
      since: ends_at - CERTIFICATE_DAYS * DAY_SECONDS,
      subjects: [subjectOf(node)],
      values: { days: Math.max(0, Math.floor((ends_at - now) / DAY_SECONDS)), ends_at },
      address: '/nodes',
    });
  });
}

export async function certificateFact(dependencies: AttentionDependencies): Promise<Values> {
  const known = (await running(dependencies)).flatMap(({ certificate_ends_at }) => certificate_ends_at ?? []);
  return known.length === 0 ? {} : { ends_at: Math.min(...known) };
}

export async function checkVersion(dependencies: AttentionDependencies): Promise<Found[]> {
  const nodes = (await running(dependencies)).filter(({ version }) => version !== '');
  const newest = newestOf(nodes);
  const old = nodes.filter(({ version }) => version !== newest);
  if (old.length === 0) return [];
  return [
    found('version_outdated', {
      mark: markOf([newest, ...old.map(({ id }) => id)]),
      since: 0,
      subjects: old.map(subjectOf),
      values: { version: old[0]?.version ?? '', newest },
      address: '/nodes',
    }),
  ];
}

export async function versionFact(dependencies: AttentionDependencies): Promise<Values> {
  const nodes = await running(dependencies);
  return nodes.length === 0 ? {} : { version: newestOf(nodes) };
}

const newestOf = (nodes: readonly ReportedNode[]): string =>
  nodes
    .map(({ version }) => version)
    .toSorted((left, right) => Bun.semver.order(left, right))
    .at(-1) ?? '';

/** A node that stopped as it should has said that it drains. */
export async function checkNodes(dependencies: AttentionDependencies): Promise<Found[]> {
  const before = nowSeconds(dependencies) - GONE_AFTER_SECONDS;
  const gone = (await readReportedNodes(dependencies)).filter(
    ({ id, reported_at, is_draining }) => reported_at < before && !is_draining && id !== dependencies.nodeId,
  );
  return gone.map((node) =>
    found('node_gone', {
      of: node.id,
      mark: String(node.reported_at),
      since: node.reported_at,
      subjects: [subjectOf(node)],
      values: { last_at: node.reported_at },
      address: '/nodes',
    }),
  );
}
