/** Names in an 18 px box; a 3 px bar on the left has the colour of the specification. */
import type { ReactNode } from 'react';
import classes from './badge.module.css';

export type PostTone = 'gold' | 'danger' | 'orange' | 'info' | 'success';

export function Tag({ post, children }: { post?: PostTone; children: ReactNode }) {
  return (
    <span className={classes.tag} data-post={post} data-plain={typeof children === 'string' || undefined}>
      {children}
    </span>
  );
}

/** vip and pro are gold, svip and premium red; every other group is neutral. */
export function groupTone(group: string): PostTone | undefined {
  if (group === 'vip' || group === 'pro') return 'gold';
  if (group === 'svip' || group === 'premium') return 'danger';
  return undefined;
}

export function GroupTag({ group }: { group: string }) {
  return <Tag post={groupTone(group)}>{group}</Tag>;
}

/** Above 5 red, above 3 orange, above 1 blue, otherwise green. */
export function ratioTone(ratio: number): PostTone {
  if (ratio > 5) return 'danger';
  if (ratio > 3) return 'orange';
  return ratio > 1 ? 'info' : 'success';
}

export function RatioBadge({ ratio }: { ratio: number }) {
  return <Tag post={ratioTone(ratio)}>{`${ratio}×`}</Tag>;
}

/** At most two tags, then how many more there are. */
export function GroupTags({ groups }: { groups: readonly string[] }) {
  const rest = groups.length - 2;
  return (
    <span className={`inline4 ${classes.tags}`}>
      {groups.slice(0, 2).map((group) => (
        <GroupTag key={group} group={group} />
      ))}
      {rest > 0 ? <span className="muted size11">+{rest}</span> : null}
    </span>
  );
}

export function Pill({ children }: { children: ReactNode }) {
  return <span className={classes.pill}>{children}</span>;
}

/** A key hint, as in menus and search fields. */
export function KeyHint({ children }: { children: ReactNode }) {
  return <kbd className={classes.key}>{children}</kbd>;
}
