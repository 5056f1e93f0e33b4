// What a check finds, and the order in which items are shown.
import { createHash } from 'node:crypto';
import { MOST_SUBJECTS, type AttentionItem, type AttentionSubject } from '#contract/admin/attention.ts';
import {
  ATTENTION_KINDS,
  ATTENTION_SEVERITIES,
  type AttentionKind,
  type AttentionSeverity,
} from '#contract/admin/attention-kinds.ts';

/** An item before it is known who reads it. */
export type Found = Omit<AttentionItem, 'is_snoozed'>;

interface Fact {
  /** What distinguishes it from other items of its kind; none where there is one of the kind at most. */
  of?: string | number;
  /** The least urgent one of the kind unless given. */
  severity?: AttentionSeverity;
  mark: string;
  /** 0: not known; the time when the node first saw it is used. */
  since: number;
  subjects: readonly AttentionSubject[];
  count?: number;
  users?: number;
  calls?: number;
  held_quota?: number;
  held?: Found['held'];
  values: Found['values'];
  address: string;
}

export function found(kind: AttentionKind, fact: Fact): Found {
  const { severities, action, menu } = ATTENTION_KINDS[kind];
  const { of, severity = severities[0], subjects, count = subjects.length, ...rest } = fact;
  const users = fact.users ?? 0;
  const calls = fact.calls ?? 0;
  const more = count - 1;
  return {
    held_quota: 0,
    held: [],
    ...rest,
    id: of === undefined ? kind : `${kind}:${of}`,
    kind,
    severity,
    subjects: subjects.slice(0, MOST_SUBJECTS),
    count,
    users,
    calls,
    values: {
      name: subjects[0]?.name ?? '',
      count,
      others: more,
      /** Chinese counts all of them after the first name: none where there is only one. */
      count_more: more === 0 ? 0 : count,
      users,
      calls,
      ...fact.values,
    },
    action,
    menu,
  };
}

const rankOf = ({ severity }: Found): number => ATTENTION_SEVERITIES.indexOf(severity);

/** Severity, money held, people touched, age; then the id, so that equal items keep their places. */
export const inOrder = (left: Found, right: Found): number =>
  rankOf(left) - rankOf(right) ||
  right.held_quota - left.held_quota ||
  right.users - left.users ||
  left.since - right.since ||
  (left.id < right.id ? -1 : 1);

/** Of a set of ids or names: another one when any is added or leaves. */
export const markOf = (parts: readonly (string | number)[]): string =>
  createHash('sha256').update(parts.map(String).toSorted().join('\n')).digest('hex').slice(0, 16);
