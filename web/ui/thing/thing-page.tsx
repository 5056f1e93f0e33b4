/** The page of one thing: head with the way back, its state and what can be done; the alert line; then its parts. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconAlertTriangleFilled, IconDots, type Icon } from '@tabler/icons-react';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { Page } from '#web/ui/page/page.tsx';
import classes from './page.module.css';

export interface ThingAction {
  label: string;
  icon?: Icon;
  onClick?: () => void;
  /** Draws the button as a link: `(props) => <Link {...props} to="/log" />`. */
  renderRoot?: (props: ComponentProps<'a'>) => ReactElement;
  /** The one filled button: what cures the thing. Only when something is wrong. */
  isCure?: boolean;
  isBusy?: boolean;
  isDisabled?: boolean;
}

interface ThingPageProps {
  /** A link to the list: `<Link to="/channel">Channels</Link>`. */
  back: ReactNode;
  name: string;
  /** The maker's or upstream's tile before the name. */
  mark?: ReactNode;
  /** A short tag behind the name, as `#5`. */
  tag?: string;
  /** A `StatusBadge`. */
  state?: ReactNode;
  /** Since when it is in this state, in unix seconds. */
  since?: number;
  /** At most four. */
  actions?: readonly ThingAction[];
  /** The rest, as `Menu.Item`s behind ⋯. */
  menu?: ReactNode;
  /** A `ThingAlert`, only when something needs a person. */
  alert?: ReactNode;
  drawer?: ReactNode;
  children: ReactNode;
}

function ActionButton({ action, hasIcon }: { action: ThingAction; hasIcon: boolean }) {
  const { label, icon: Mark, onClick, renderRoot, isCure, isBusy, isDisabled } = action;
  return (
    <Button
      variant={isCure ? 'filled' : 'default'}
      leftSection={Mark && hasIcon ? <Mark size={15} stroke={1.6} aria-hidden /> : undefined}
      loading={isBusy}
      disabled={isDisabled}
      onClick={onClick}
      renderRoot={renderRoot}
    >
      {label}
    </Button>
  );
}

export function ThingPage({ name, alert, drawer, children, ...head }: ThingPageProps) {
  return (
    <Page title={name} head={<Head name={name} {...head} />} drawer={drawer}>
      <div className={`scroll ${classes.body}`} tabIndex={0} role="region" aria-label={name}>
        {alert}
        {children}
      </div>
    </Page>
  );
}

function Head({
  back,
  name,
  mark,
  tag,
  state,
  since = 0,
  actions = [],
  menu,
}: Omit<ThingPageProps, 'alert' | 'drawer' | 'children'>) {
  const { t } = useTranslation('ui');
  const phone = usePhone();
  // The cure stands last, where the filled button of every page is.
  const plain = actions.filter(({ isCure }) => !isCure);
  const cure = actions.filter(({ isCure }) => isCure);
  // Without icons the cure fits on the line of the others.
  const hasIcons = !phone || cure.length === 0;
  return (
    <header className={classes.head}>
      <div className={classes.name}>
        <span className={classes.back}>{back} /</span>
        {mark}
        {phone ? null : <h1 className={`cut ${classes.title}`}>{name}</h1>}
        {tag ? <Tag>{tag}</Tag> : null}
        {state ? (
          <span className={classes.state}>
            {state}
            {since > 0 ? (
              <span className="note">
                <Moment timestamp={since} />
              </span>
            ) : null}
          </span>
        ) : null}
      </div>
      <div className={classes.actions}>
        {plain.map((action) => (
          <ActionButton key={action.label} action={action} hasIcon={hasIcons} />
        ))}
        {menu ? (
          <Menu>
            <Menu.Target>
              <ActionIcon variant="default" size="var(--height-control)" aria-label={t('action.more')}>
                <IconDots size={15} stroke={1.6} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>{menu}</Menu.Dropdown>
          </Menu>
        ) : null}
        {cure.map((action) => (
          <ActionButton key={action.label} action={action} hasIcon={hasIcons} />
        ))}
      </div>
    </header>
  );
}

interface ThingAlertProps {
  tone?: 'danger' | 'warning';
  /** What, since when, whom it touches. */
  children: ReactNode;
  /** One button. */
  action?: ReactNode;
}

export function ThingAlert({ tone = 'danger', children, action }: ThingAlertProps) {
  return (
    <div className={classes.alert} data-tone={tone} role="alert">
      <IconAlertTriangleFilled size={16} aria-hidden />
      <p className="grow anywhere">{children}</p>
      {action}
    </div>
  );
}
