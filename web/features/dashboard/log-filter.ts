/** The log filter of every link of the dashboard. */
export interface LogFilter {
  from: number;
  to: number;
  /** Only where an administrator looks at one user. */
  user?: string;
}
