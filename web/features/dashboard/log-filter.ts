/** The part of the log's address that every mark of the dashboard carries. */
export interface LogFilter {
  from: number;
  to: number;
  /** Only where an administrator looks at one user. */
  user?: string;
}
