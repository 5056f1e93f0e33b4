/** A wall of tally marks with growing opacity; the last one is unfinished. */

const COLUMNS = 8;
const ROWS = 7;
const STEP_X = 64;
const STEP_Y = 58;
const COUNTED = COLUMNS * (ROWS - 1) + 5;
/** The newest gates carry the accent. */
const RECENT = 7;

function Gate({ index }: { index: number }) {
  const x = (index % COLUMNS) * STEP_X;
  const y = Math.floor(index / COLUMNS) * STEP_Y;
  const strength = 0.1 + 0.42 * (index / COUNTED);
  const recent = index >= COUNTED - RECENT;
  return (
    <g transform={`translate(${x} ${y})`}>
      <path d="M7 0V34M17.5 0V34M28 0V34M38.5 0V34" stroke="#cfe3e9" strokeWidth="2.4" opacity={strength} />
      <path
        d="M0 27.5 45 10"
        stroke={recent ? 'var(--petrol-5)' : '#9cc4d1'}
        strokeWidth={recent ? 3.4 : 2.6}
        opacity={recent ? 1 : strength + 0.05}
      />
    </g>
  );
}

export function TallyWall() {
  const last = COUNTED;
  return (
    <svg
      viewBox={`0 0 ${COLUMNS * STEP_X - 16} ${ROWS * STEP_Y - 20}`}
      width={COLUMNS * STEP_X - 16}
      height={ROWS * STEP_Y - 20}
      fill="none"
      aria-hidden
      style={{ maxWidth: '100%', height: 'auto' }}
    >
      {Array.from({ length: COUNTED }, (_, index) => (
        <Gate key={index} index={index} />
      ))}
      <path
        transform={`translate(${(last % COLUMNS) * STEP_X} ${Math.floor(last / COLUMNS) * STEP_Y})`}
        d="M7 0V34M17.5 0V34M28 0V34"
        stroke="#cfe3e9"
        strokeWidth="2.4"
        opacity="0.52"
      />
    </svg>
  );
}
