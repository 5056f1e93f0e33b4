// What is measured, by name: the bare proxy and the gateway on each database, both with a TLS upstream, and another gateway
// that runs already.
import { startPostgres } from '#tests/support/postgres.ts';
import { startProxy } from './children.ts';
import { startGateway } from './gateway.ts';
import type { Target } from './phases.ts';

export const targetNames = ['proxy', 'sqlite', 'postgres', 'proxy-tls', 'sqlite-tls', 'peer'] as const;
export type TargetName = (typeof targetNames)[number];

export interface StartedTarget extends Target {
  kind: TargetName;
  stop: () => Promise<void>;
}

export function isTargetName(name: string): name is TargetName {
  return (targetNames as readonly string[]).includes(name);
}

/** Whose figures a target's are compared with. */
export const floorOf = (kind: TargetName): TargetName => (kind === 'sqlite-tls' ? 'proxy-tls' : 'proxy');

/** Whether it converts between formats, which the bench measures with a model that only the mock of Tollgate has. */
export const isConverting = (kind: TargetName): boolean => kind !== 'peer' && !kind.startsWith('proxy');

/** Another gateway on this machine, which its user set up with the bench's upstream. */
export interface Peer {
  url: string;
  key: string;
  /** The process whose CPU time and memory count; not those of its children. */
  processId: number;
}

/** Where the upstream listens, without and with TLS. */
export interface Upstreams {
  plain: string;
  secure: string;
  /** A file with the certificate that the TLS upstream's clients trust. */
  certificateFile: string;
  peer: Peer | undefined;
}

const starters: Record<TargetName, (upstreams: Upstreams) => Promise<Omit<StartedTarget, 'kind'>>> = {
  proxy: async ({ plain }) => ({ name: 'bare proxy', key: 'sk-bench', ...(await startProxy(plain)) }),
  sqlite: async ({ plain }) => ({ name: 'Tollgate, SQLite', ...(await startGateway({ upstream: plain })) }),
  'proxy-tls': async ({ secure, certificateFile }) => ({
    name: 'bare proxy, TLS upstream',
    key: 'sk-bench',
    ...(await startProxy(secure, { NODE_EXTRA_CA_CERTS: certificateFile })),
  }),
  'sqlite-tls': async ({ secure, certificateFile }) => ({
    name: 'Tollgate, SQLite, TLS upstream',
    ...(await startGateway({ upstream: secure, environment: { NODE_EXTRA_CA_CERTS: certificateFile } })),
  }),
  async peer({ peer }) {
    if (peer === undefined) throw new Error('--targets=…,peer needs --peer, --peer-key and --peer-pid');
    return { name: `peer at ${peer.url}`, ...peer, stop: async () => {} };
  },
  async postgres({ plain: upstream }) {
    // Durability is part of what is measured.
    const server = await startPostgres(['fsync=on', 'full_page_writes=on']);
    const gateway = await startGateway({ upstream, databaseUrl: server.url });
    const stop = async (): Promise<void> => {
      await gateway.stop();
      await server.stop();
    };
    return { name: 'Tollgate, PostgreSQL', ...gateway, stop };
  },
};

export async function startTarget(kind: TargetName, upstreams: Upstreams): Promise<StartedTarget> {
  return { kind, ...(await starters[kind](upstreams)) };
}
