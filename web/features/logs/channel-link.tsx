/** A channel of a call; leads to its page. */
import { Link } from '@tanstack/react-router';
import classes from './detail.module.css';

export function ChannelLink({ id, name }: { id: number; name: string | undefined }) {
  return (
    <Link to="/channel/$id" params={{ id: String(id) }} className={classes.channel} title={name}>
      {name || `#${id}`}
    </Link>
  );
}
