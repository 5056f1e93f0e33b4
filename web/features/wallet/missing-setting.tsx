/** A missing setting: the message for administrators, with the way to the setting for the super admin; a customer can set nothing. */
import { Link } from '@tanstack/react-router';
import { IconInfoCircle } from '@tabler/icons-react';
import { isAdmin, isRoot } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import layout from '#web/ui/input/form.module.css';
import classes from './wallet.module.css';

interface MissingSettingProps {
  message: string;
  /** What customers read instead; the message itself where there is none. */
  neutral?: string;
  /** The words of the link. */
  setUp: string;
  tab: 'operation' | 'system';
}

export function MissingSetting({ message, neutral = message, setUp, tab }: MissingSettingProps) {
  const user = useUser();
  return (
    <p className={`row6 top4 caption ${classes.hint}`}>
      <IconInfoCircle size={14} stroke={1.6} aria-hidden />
      {user && isAdmin(user.role) ? message : neutral}
      {user && isRoot(user.role) ? (
        <Link to="/setting" search={{ tab }} className={layout.link}>
          {setUp}
        </Link>
      ) : null}
    </p>
  );
}
