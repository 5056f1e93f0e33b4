/** The mark (a five-bar gate) and the wordmark in the text colour; the arm has the accent colour. */
import classes from './brand.module.css';

function Mark() {
  return (
    <>
      <path
        fill="currentColor"
        d="M2 2.5H4.6V12.17L2 13.31ZM2 19.41L4.6 18.27V21.5H2ZM7.8 2.5H10.4V9.65L7.8 10.78ZM7.8 16.88L10.4 15.75V21.5H7.8ZM13.6 2.5H16.2V7.12L13.6 8.25ZM13.6 14.35L16.2 13.22V21.5H13.6ZM19.4 2.5H22V4.59L19.4 5.73ZM19.4 11.83L22 10.69V21.5H19.4Z"
      />
      <path fill="var(--logo-arm)" d="M.3 15.5 23.7 5.3V8.5L.3 18.7Z" />
    </>
  );
}

export function LogoMark({ height = 22 }: { height?: number }) {
  return (
    <svg viewBox="0 0 24 24" width={height} height={height} aria-hidden className={classes.logo}>
      <Mark />
    </svg>
  );
}

export function Logo({ height = 22 }: { height?: number }) {
  return (
    <svg
      viewBox="0 0 104 24"
      width={(height * 104) / 24}
      height={height}
      aria-hidden
      className={classes.logo}
    >
      <Mark />
      <g transform="translate(32)" fill="none" stroke="currentColor" strokeWidth="2.2">
        <path d="M0 4.6H10.6M5.3 4.6V18.5" />
        <circle cx="14.7" cy="13.5" r="3.95" />
        <path d="M22.8 3.2V18.5M27.3 3.2V18.5" />
        <circle cx="35.1" cy="13.5" r="3.95" />
        <path d="M39.05 8.5V18.6C39.05 21.2 37.4 22.5 35.1 22.5 33.5 22.5 32.3 21.9 31.5 20.9" />
        <circle cx="47.1" cy="13.5" r="3.95" />
        <path d="M51.05 8.5V18.5" />
        <path d="M56.5 5.2V14.9C56.5 16.7 57.4 17.5 59 17.5H60.2M53.7 9.6H60.1" />
        <path d="M62.6 13.9H70.5C70.6 11.2 68.9 9.55 66.6 9.55 64.4 9.55 62.65 11.3 62.65 13.5 62.65 15.7 64.4 17.45 66.6 17.45 68.1 17.45 69.2 16.8 69.9 15.8" />
      </g>
    </svg>
  );
}

interface BrandProps {
  name: string;
  /** The operator's logo; the default path selects the built-in one. */
  logo: string;
  height?: number;
  markOnly?: boolean;
}

export const DEFAULT_NAME = 'Tollgate';
export const DEFAULT_LOGO = '/logo.png';

/** The built-in logo, or the operator's picture and name. */
export function Brand({ name, logo, height = 22, markOnly }: BrandProps) {
  const own = logo === '' || logo === DEFAULT_LOGO;
  if (own && name === DEFAULT_NAME && !markOnly) return <Logo height={height} />;
  const mark = own ? (
    <LogoMark height={height} />
  ) : (
    <img src={logo} alt="" height={height} className={classes.picture} />
  );
  if (markOnly) return mark;
  return (
    <span className="inline8 shrink">
      {mark}
      <span className="title cut">{name}</span>
    </span>
  );
}
