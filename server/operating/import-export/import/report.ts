// What an import finds, brings and leaves behind. The dry run and the import write the same report.

export const KINDS = [
  'users',
  'second factors',
  'organizations',
  'members',
  'projects',
  'budgets',
  'tokens',
  'channels',
  'options',
  'redemptions',
  'orders',
  'plans',
  'subscriptions',
  'logs',
] as const;
export type Kind = (typeof KINDS)[number];

/** Not every source has them. */
const OF_ORGANIZATIONS: readonly Kind[] = ['organizations', 'members', 'projects', 'budgets'];

const EXAMPLES_MOST = 5;
const CONFLICTS_SHOWN = 50;

interface Left {
  count: number;
  examples: string[];
}

export interface Sums {
  /** Of users that are brought, in units of the source. */
  source: bigint;
  /** In units of this installation. */
  here: bigint;
  /** Balances below zero, which are brought as zero. */
  below: bigint;
}

export class Report {
  readonly found = new Map<Kind, number>();
  readonly brought = new Map<Kind, number>();
  readonly already = new Map<Kind, number>();
  readonly left = new Map<Kind, Map<string, Left>>();
  readonly conflicts: string[] = [];
  readonly notes: string[] = [];
  readonly balances: Sums = { source: 0n, here: 0n, below: 0n };
  readonly inviteBalances: Sums = { source: 0n, here: 0n, below: 0n };
  /** What is left of the subscriptions that are brought. */
  readonly subscriptions: Sums = { source: 0n, here: 0n, below: 0n };

  /** Undefined, as `leave`: what a step returns for a row that it does not write. */
  count(counts: Map<Kind, number>, kind: Kind, by = 1): undefined {
    counts.set(kind, (counts.get(kind) ?? 0) + by);
    return undefined;
  }

  /** `example` names the row and must not hold a secret. */
  leave(kind: Kind, reason: string, example: string): undefined {
    const reasons = this.left.get(kind) ?? new Map<string, Left>();
    this.left.set(kind, reasons);
    const left = reasons.get(reason) ?? { count: 0, examples: [] };
    reasons.set(reason, left);
    left.count += 1;
    if (left.examples.length < EXAMPLES_MOST) left.examples.push(example);
    return undefined;
  }

  conflict(text: string): void {
    this.conflicts.push(text);
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text);
  }

  lines(isDry: boolean): string[] {
    const brought = isDry ? 'would be brought' : 'brought';
    const shown = KINDS.filter((kind) => !OF_ORGANIZATIONS.includes(kind) || this.found.has(kind));
    const lines = shown.flatMap((kind) => this.#kindLines(kind, brought));
    lines.push(...sumLines('balances', this.balances), ...sumLines('invite balances', this.inviteBalances));
    if (this.found.has('subscriptions')) lines.push(...sumLines('left of subscriptions', this.subscriptions));
    if (this.conflicts.length > 0) lines.push('', 'conflicts:');
    lines.push(...this.conflicts.slice(0, CONFLICTS_SHOWN).map((text) => `  ${text}`));
    if (this.conflicts.length > CONFLICTS_SHOWN)
      lines.push(`  … and ${this.conflicts.length - CONFLICTS_SHOWN} more`);
    if (this.notes.length > 0) lines.push('', 'to know:', ...this.notes.map((text) => `  ${text}`));
    // Names of the source may hold commands for the terminal.
    return lines.map((line) => line.replaceAll(/\p{Cc}/gu, ' '));
  }

  #kindLines(kind: Kind, brought: string): string[] {
    const found = this.found.get(kind) ?? 0;
    const already = this.already.get(kind) ?? 0;
    const before =
      already > 0
        ? `, ${already} ${kind === 'options' ? 'have this value already' : 'were brought before'}`
        : '';
    const head = `${kind.padEnd(12)} ${found} found, ${this.brought.get(kind) ?? 0} ${brought}${before}`;
    const left = [...(this.left.get(kind) ?? [])].map(
      ([reason, { count, examples }]) =>
        `  left behind: ${count} (${reason}): ${examples.join(', ')}${count > examples.length ? ', …' : ''}`,
    );
    return [head, ...left];
  }
}

function sumLines(name: string, { source, here, below }: Sums): string[] {
  const lines = [`${name}: ${source} units at the source, ${here} units here`];
  if (below < 0n) lines.push(`  below zero at the source: ${below} units, brought as zero`);
  return lines;
}
