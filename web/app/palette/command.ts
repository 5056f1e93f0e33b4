/** What a text in the palette asks to do with one thing: `disable channel 4`, `refund order R17`. */

export interface Command {
  verb: 'disable' | 'refund';
  /** What is acted on: an id, a name or a number. */
  rest: string;
}

const COMMANDS: readonly [Command['verb'], RegExp][] = [
  ['disable', /^(?:disable\s+(?:channel\s+)?|(?:禁用|停用)\s*(?:渠道)?\s*)#?(.+)$/i],
  ['refund', /^(?:refund\s+(?:order\s+)?|退款\s*(?:订单)?\s*)#?(.+)$/i],
];

export function commandIn(text: string): Command | undefined {
  for (const [verb, pattern] of COMMANDS) {
    const rest = pattern.exec(text.trim())?.[1]?.trim();
    // `refund order` alone names nothing yet.
    if (rest && !/^(?:channel|order|渠道|订单)$/i.test(rest)) return { verb, rest };
  }
  return undefined;
}
