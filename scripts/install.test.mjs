import { describe, expect, test } from 'bun:test';
import { isInstalled } from './install.mjs';

const lock = {
  packages: {
    '': { name: 'tollgate' },
    'node_modules/served': { version: '1.0.0' },
    'node_modules/tested': { version: '2.0.0', dev: true },
    'node_modules/other-platform': { version: '3.0.0', optional: true },
  },
};
const having = (...names) => ({
  packages: Object.fromEntries(
    names.map((name) => [`node_modules/${name}`, lock.packages[`node_modules/${name}`]]),
  ),
});

describe('isInstalled', () => {
  test('nothing installed is not enough', () => {
    expect(isInstalled(lock, undefined, { dev: false })).toBe(false);
  });

  test('an install without development packages serves but does not test', () => {
    expect(isInstalled(lock, having('served'), { dev: false })).toBe(true);
    expect(isInstalled(lock, having('served'), { dev: true })).toBe(false);
  });

  test('a full install satisfies both, whatever the platform left out', () => {
    expect(isInstalled(lock, having('served', 'tested'), { dev: true })).toBe(true);
    expect(isInstalled(lock, having('served', 'tested'), { dev: false })).toBe(true);
  });

  test('another version is stale', () => {
    const installed = { packages: { 'node_modules/served': { version: '1.0.1' } } };
    expect(isInstalled(lock, installed, { dev: false })).toBe(false);
  });
});
