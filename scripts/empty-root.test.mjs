import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { imageOf } from './empty-root.mjs';
import { inRoot } from './project.mjs';

const dockerfile = readFileSync(inRoot('Dockerfile'), 'utf8');

test('the release check runs the command and the health check of the image, as the user of the image', () => {
  expect(imageOf(dockerfile)).toEqual({
    file: '/usr/local/bin/tollgate',
    command: ['/usr/local/bin/tollgate', 'start'],
    user: 10_001,
    env: { DATA_DIR: '/data' },
    health: ['/usr/local/bin/tollgate', 'health'],
  });
});

test('a Dockerfile whose process would run otherwise is refused', () => {
  for (const [from, to] of [
    ['USER tollgate', 'USER root'],
    ['ENV DATA_DIR=/data', 'ENV DATA_DIR=/srv'],
    ['ENTRYPOINT ["tollgate"]', 'ENTRYPOINT tollgate'],
  ]) {
    expect(dockerfile).toContain(from);
    expect(() => imageOf(dockerfile.replace(from, to))).toThrow();
  }
});
