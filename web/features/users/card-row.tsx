/** A user on the phone: name and state, role and group, bar and balance. */
import type { ReactNode } from 'react';
import type { ManagedUser } from '#contract/users.ts';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { BalanceCell, BindingsCell, isGuarded, NameCell, RoleCell, StateCell } from './cells.tsx';
import { isHidden, type Me } from './user-state.ts';
import classes from './users.module.css';

export function UserCardRow({ user, me, menu }: { user: ManagedUser; me: Me; menu: ReactNode }) {
  const hidden = isHidden(user, me);
  return (
    <>
      <div className={classes.cardLine}>
        <span className={classes.cardName}>
          <NameCell user={user} own={user.id === me.id} />
        </span>
        <span className={classes.cardSide}>
          <StateCell user={user} />
          {menu}
        </span>
      </div>
      <div className={classes.cardLine}>
        <span className={classes.cardTags}>
          <GroupTag group={user.group} />
          <RoleCell user={user} />
        </span>
        {hidden || !isGuarded(user) ? null : <BindingsCell user={user} hidden={false} />}
      </div>
      <div className={classes.cardLine}>
        <BalanceCell user={user} hidden={hidden} />
      </div>
    </>
  );
}
