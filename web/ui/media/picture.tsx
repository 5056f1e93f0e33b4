/** A picture that is loaded when it comes near the screen, and leaves its place empty when it cannot be. */
import { useState } from 'react';
import { shownAddress } from './own-address.ts';
import classes from './media.module.css';

export function Picture({ address, text = '' }: { address: string; text?: string }) {
  const [broken, setBroken] = useState('');
  if (address === '' || broken === address) return null;
  return (
    <img
      className={classes.picture}
      src={shownAddress(address)}
      alt={text}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setBroken(address)}
    />
  );
}
