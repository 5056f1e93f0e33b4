/** A channel of a call; leads to its row, where one tests, disables or edits it. */
import { Link } from '@tanstack/react-router';
import classes from './detail.module.css';

export function ChannelLink({ id, name }: { id: number; name: string | undefined }) {
  return (
    <Link to="/channel" search={{ q: `#${id}` }} className={classes.channel} title={name}>
      <span>#{id}</span> {name}
    </Link>
  );
}
