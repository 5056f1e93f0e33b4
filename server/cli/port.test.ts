import { expect, test } from 'bun:test';
import { CommandError, explain } from './explain.ts';
import { reservePort } from './port.ts';

test.each([0, 18_231])(
  'a HOST that is not of this machine is one line with its name, on port %d (N35)',
  (port) => {
    let failure: unknown;
    try {
      reservePort({ host: '203.0.113.7', port }).release();
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(CommandError);
    expect(explain(failure, {})).toBe(
      'tollgate: HOST: 203.0.113.7 is not an address of this machine, nor a name of one. Use 0.0.0.0 for all addresses.',
    );
  },
);
