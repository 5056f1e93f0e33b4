/** A QR code as one path, dark on light in both themes: cameras need the contrast. */
import { encode } from 'uqr';
import { useMemo } from 'react';
import classes from './qr.module.css';

interface QrProps {
  text: string;
  label: string;
  size: number;
}

export function Qr({ text, label, size }: QrProps) {
  const { path, width } = useMemo(() => {
    const code = encode(text, { ecc: 'M', border: 2 });
    const cells = code.data.flatMap((row, y) =>
      row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])),
    );
    return { path: cells.join(''), width: code.size };
  }, [text]);
  return (
    <svg
      className={classes.qr}
      width={size}
      height={size}
      viewBox={`0 0 ${width} ${width}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path d={path} fill="#000000" />
    </svg>
  );
}
