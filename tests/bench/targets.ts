// What is measured, by name: the bare proxy and the gateway on each database.
import { startPostgres } from '#tests/support/postgres.ts';
import { startProxy } from './children.ts';
import { startGateway } from './gateway.ts';
import type { Target } from './phases.ts';

export const targetNames = ['proxy', 'sqlite', 'postgres'] as const;
export type TargetName = (typeof targetNames)[number];

export interface StartedTarget extends Target {
  kind: TargetName;
  stop: () => Promise<void>;
}

export function isTargetName(name: string): name is TargetName {
  return (targetNames as readonly string[]).includes(name);
}

const starters: Record<TargetName, (upstream: string) => Promise<Omit<StartedTarget, 'kind'>>> = {
  proxy: async (upstream) => ({ name: 'bare proxy', key: 'sk-bench', ...(await startProxy(upstream)) }),
  sqlite: async (upstream) => ({ name: 'Tollgate, SQLite', ...(await startGateway({ upstream })) }),
  async postgres(upstream) {
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

export async function startTarget(kind: TargetName, upstream: string): Promise<StartedTarget> {
  return { kind, ...(await starters[kind](upstream)) };
}
