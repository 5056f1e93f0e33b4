import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEMO_PASSWORD } from './users.ts';
import { emptyDirectory, readOptions } from './options.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'tollgate-demo-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the data directory of the demo', () => {
  test('is emptied when a demo has made it', () => {
    const own = path.join(directory, 'own');
    emptyDirectory(own);
    writeFileSync(path.join(own, 'tollgate.db'), 'old');
    emptyDirectory(own);
    expect(readdirSync(own)).toEqual(['this-is-a-demo']);
  });

  test('is refused when it has other files, and they stay', () => {
    writeFileSync(path.join(directory, 'tollgate.db'), 'real');
    expect(() => emptyDirectory(directory)).toThrow('files that no demo has made');
    expect(existsSync(path.join(directory, 'tollgate.db'))).toBe(true);
  });
});

describe('the options of the demo', () => {
  test('listen on loopback, and never open the database of the environment', () => {
    const { environment, isPublic, rootPassword } = readOptions([], {
      DATABASE_URL: 'postgres://a:b@c/d',
      DATA_DIR: '/srv/tollgate',
      MASTER_KEY: '0'.repeat(64),
      WORKERS: '4',
    });
    expect(environment).toMatchObject({
      host: '127.0.0.1',
      databaseUrl: undefined,
      masterKey: undefined,
      workers: 1,
      dataDir: path.resolve('data-demo'),
    });
    expect([isPublic, rootPassword]).toEqual([false, DEMO_PASSWORD]);
  });

  test('a demo that other machines can reach has a secret password of the super admin', () => {
    const { isPublic, rootPassword } = readOptions([], { HOST: '0.0.0.0' });
    expect(isPublic).toBe(true);
    expect(rootPassword).not.toBe(DEMO_PASSWORD);
  });

  test('a wrong number of calls is refused', () => {
    expect(() => readOptions(['--calls', 'many'], {})).toThrow('--calls');
  });
});
