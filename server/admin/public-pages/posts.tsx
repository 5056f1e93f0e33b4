/** @jsxImportSource hono/jsx */
// A row of posts, to scale, on whole pixels: an hour or a day each.

export interface Post {
  /** Share of the height, 0 to 1; undefined: too few calls, drawn as a stub. */
  readonly value: number | undefined;
  /** `bar` is a figure without a verdict, `now` the last one; `warned` is good with an amber foot. */
  readonly tone: 'bar' | 'now' | 'good' | 'warned' | 'bad';
  /** What the post says, for the pointer. */
  readonly title?: string;
}

interface PostsProps {
  posts: readonly Post[];
  /** What the row says as a whole, for those who do not see it. */
  label: string;
  height?: number;
  width?: number;
  gap?: number;
  /** The row grows with its place; its posts stay sharp at the size it was drawn for. */
  isFluid?: boolean;
}

const TONES = {
  bar: 'post-bar',
  now: 'post-now',
  good: 'post-good',
  warned: 'post-good',
  bad: 'post-bad',
} as const;
const STUB = 2;

export function Posts({ posts, label, height = 24, width = 3, gap = 2, isFluid = false }: PostsProps) {
  const whole = Math.max(1, posts.length * (width + gap) - gap);
  const size = isFluid ? { width: '100%', height, preserveAspectRatio: 'none' } : { width: whole, height };
  return (
    <svg class="posts" viewBox={`0 0 ${whole} ${height}`} role="img" aria-label={label} {...size}>
      {posts.map(({ value, tone, title }, index) => {
        const tall = value === undefined ? STUB : Math.max(STUB, Math.round(value * height));
        const x = index * (width + gap);
        return (
          <g>
            {title === undefined ? null : <title>{title}</title>}
            <rect
              class={value === undefined ? 'post-none' : TONES[tone]}
              x={x}
              y={height - tall}
              width={width}
              height={tall}
            />
            {value !== undefined && tone === 'warned' ? (
              <rect class="post-foot" x={x} y={height - 6} width={width} height={6} />
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}
