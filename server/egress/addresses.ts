// Which addresses an outbound call may reach. Everything that is not a plain public unicast address is refused; an
// operator can open private ranges for channels, but never link-local ones (cloud metadata lives there).
import { compileAddressList, parseAddress } from '#contract/ip-address.ts';

const closed = compileAddressList(
  [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
    // The first /96 holds ::, ::1 and the v4-compatible addresses; mapped ones count as v4 above.
    '::/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/32',
    '2001:db8::/32',
    '2002::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ].join('\n'),
);

const neverOpened = compileAddressList(
  ['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'fe80::/10', 'ff00::/8'].join('\n'),
);

export interface AddressRule {
  allows(address: string): boolean;
}

export const publicOnly: AddressRule = {
  allows: (address) => parseAddress(address) !== null && !closed.matches(address),
};

/** Public addresses, and the private ones the operator listed (addresses or CIDR blocks). */
export function publicAnd(allowedPrivate: readonly string[]): AddressRule {
  const opened = compileAddressList(allowedPrivate.join('\n'));
  return {
    allows: (address) =>
      publicOnly.allows(address) || (opened.matches(address) && !neverOpened.matches(address)),
  };
}
