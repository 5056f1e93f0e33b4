// Secrets at rest: what opens, what must not, and which key a database accepts.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { failure } from '#tests/support/failure.ts';
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forEachDatabase, temporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { loadMasterKey, masterKeyFile } from './master-key.ts';
import { createVault } from './vault.ts';

const writerEntry = new URL('../../../tests/support/writer-entry.ts', import.meta.url);
const key = Buffer.alloc(32, 7);

describe('sealing', () => {
  const vault = createVault(key);

  test('a sealed text of any content opens again', () => {
    for (const text of ['', 'sk-abc', '密钥 🔑', 'x'.repeat(100_000)]) {
      expect(vault.open(vault.seal(text, 'tokens:1:key'), 'tokens:1:key')).toBe(text);
    }
  });

  test('the form is v1.kid.iv.tag.text, never the same twice, and shows nothing of the secret', () => {
    const first = vault.seal('sk-secret', 'p');
    expect(first).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
    expect(vault.seal('sk-secret', 'p')).not.toBe(first);
    expect(first).not.toContain('secret');
  });

  test('moved to another place it does not open', () => {
    expect(() => vault.open(vault.seal('a', 'tokens:1:key'), 'tokens:2:key')).toThrow('another place');
  });

  test('any changed character of any part is refused', () => {
    const sealed = vault.seal('sk-secret-value', 'p');
    for (let index = 0; index < sealed.length; index++) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, index) + other + sealed.slice(index + 1);
      // The last character of a base64 group may carry unused bits; such a change decodes to the same bytes.
      if (Buffer.from(changed.split('.').slice(2).join('.')).equals(Buffer.from(sealed))) continue;
      const sameBytes = changed.split('.').every((part, at) => {
        const original = sealed.split('.')[at] ?? '';
        return at < 2
          ? part === original
          : Buffer.from(part, 'base64url').equals(Buffer.from(original, 'base64url'));
      });
      if (sameBytes) continue;
      expect(() => vault.open(changed, 'p')).toThrow();
    }
  });

  test('what is not sealed, or cut short, is refused as such', () => {
    const sealed = vault.seal('a', 'p');
    const cutTag = sealed.split('.').with(3, 'AAAA').join('.');
    for (const text of ['', 'plain', 'v1.a.b', `${sealed}.x`, sealed.replace('v1', 'v2'), cutTag]) {
      expect(() => vault.open(text, 'p')).toThrow('not a sealed secret');
    }
  });

  test('another master key opens nothing', () => {
    const other = createVault(Buffer.alloc(32, 8));
    expect(() => other.open(vault.seal('a', 'p'), 'p')).toThrow('another master key');
  });
});

describe('digests', () => {
  const vault = createVault(key);

  test('are HMAC-SHA256 under a subkey of the purpose', () => {
    const subkey = Buffer.from(hkdfSync('sha256', key, 'tollgate', 'digest:token', 32));
    expect(vault.digest('token', 'sk-1')).toBe(createHmac('sha256', subkey).update('sk-1').digest('hex'));
  });

  test('are the same each time, and differ by value, purpose and master key', () => {
    const digests = [
      vault.digest('token', 'sk-1'),
      vault.digest('token', 'sk-2'),
      vault.digest('code', 'sk-1'),
      createVault(randomBytes(32)).digest('token', 'sk-1'),
    ];
    expect(new Set(digests).size).toBe(4);
    expect(vault.digest('token', 'sk-1')).toBe(digests[0] ?? '');
  });

  test('cost a few microseconds, for each relayed call needs one', () => {
    const value = `sk-${'a'.repeat(48)}`;
    const best = Math.min(
      ...Array.from({ length: 5 }, () => {
        const started = performance.now();
        for (let round = 0; round < 5000; round++) vault.digest('token', value);
        return ((performance.now() - started) * 1000) / 5000;
      }),
    );
    expect(best).toBeLessThan(15);
  });
});

describe('the master key', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-key-'));
  });
  afterEach(() => {
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('is made at the first start, readable by its owner only, and found again', () => {
    const made = loadMasterKey({ dataDir, mayCreate: true });
    expect(made).toHaveLength(32);
    expect(statSync(masterKeyFile(dataDir)).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['master.key']);
    expect(loadMasterKey({ dataDir, mayCreate: false })).toEqual(made);
  });

  test('is not made anew when the database already holds secrets (plan S26)', () => {
    expect(() => loadMasterKey({ dataDir, mayCreate: false })).toThrow('MASTER_KEY is not set');
    expect(existsSync(masterKeyFile(dataDir))).toBe(false);
    faultSeen('S26', 'the master key is missing: no start, no new key');
  });

  test('comes from MASTER_KEY as hex, base64 or base64url, and then no file is made', () => {
    const wanted = Buffer.alloc(32, 0xfb);
    for (const text of [wanted.toString('hex'), wanted.toString('base64'), wanted.toString('base64url')]) {
      expect(loadMasterKey({ dataDir, masterKey: text, mayCreate: true })).toEqual(wanted);
    }
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('of another length or alphabet is refused by name (plan S26)', () => {
    for (const text of ['short', 'a'.repeat(63), 'z'.repeat(64), `${'A'.repeat(43)}!`]) {
      expect(() => loadMasterKey({ dataDir, masterKey: text, mayCreate: true })).toThrow(
        'MASTER_KEY must be 32 bytes',
      );
    }
    writeFileSync(masterKeyFile(dataDir), 'damaged');
    expect(() => loadMasterKey({ dataDir, mayCreate: true })).toThrow('master.key must be 32 bytes');
    expect(readFileSync(masterKeyFile(dataDir), 'utf8')).toBe('damaged');
    faultSeen('S26', 'the master key is damaged: no start, file kept');
  });
});

forEachDatabase((label, open) => {
  test('a database opens with its own master key and refuses another, or none (plan S26)', async () => {
    // A copied database has the key of its template.
    const { remove, ...place } = await temporaryPlace(label, { bare: true });
    const mine = randomBytes(32).toString('hex');
    const first = await open({ writerEntry, ...place, masterKey: mine });
    await first.close();
    const wrong = open({ writerEntry, ...place, masterKey: randomBytes(32).toString('hex') });
    expect((await failure(wrong)).message).toContain('not the one this database was created with');
    expect((await failure(open({ writerEntry, ...place }))).message).toContain('MASTER_KEY is not set');
    faultSeen('S26', 'the master key of another installation: no start');
    // A refused start lets go of everything: the right key still gets in.
    const again = await open({ writerEntry, ...place, masterKey: mine });
    await again.close();
    await remove();
  });
});
