/** The Mantine theme: colour ramps, two weights, 13 px text, and every Mantine colour mapped to a role token. */
import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeComponents,
  type VariantColorsResolver,
} from '@mantine/core';
import classes from './controls.module.css';
import floating from './floating.module.css';

const PETROL: MantineColorsTuple = [
  '#f0f9fd',
  '#ddf2f9',
  '#bee5f2',
  '#97d2e5',
  '#6bbbd4',
  '#41a0bb',
  '#1d819a',
  '#02677d',
  '#004f61',
  '#023845',
];

const GRAY: MantineColorsTuple = [
  '#f8fafa',
  '#f1f4f5',
  '#e8eced',
  '#dce0e2',
  '#cacfd1',
  '#9fa6a8',
  '#6f777a',
  '#525a5c',
  '#32393c',
  '#161c1e',
];

const DARK: MantineColorsTuple = [
  '#e6ebec',
  '#c4cacc',
  '#9ba3a6',
  '#7f888b',
  '#575f62',
  '#333b3e',
  '#262d30',
  '#1b2124',
  '#13181a',
  '#0d1113',
];

/** Buttons and icons take their colours from the role tokens, so one rule holds in both themes. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const danger = input.color === 'red' || input.color === 'danger';
  const colour = danger ? 'var(--danger-text)' : 'var(--accent)';
  switch (input.variant) {
    case 'filled':
      return {
        background: colour,
        hover: danger ? 'var(--danger-text)' : 'var(--accent-hover)',
        hoverColor: danger ? 'var(--page)' : 'var(--on-accent)',
        color: danger ? 'var(--page)' : 'var(--on-accent)',
        border: '1px solid transparent',
      };
    case 'default':
      return {
        background: 'var(--control)',
        hover: 'var(--row-hover)',
        hoverColor: danger ? colour : 'var(--text-1)',
        color: danger ? colour : 'var(--text-1)',
        border: '1px solid var(--line-control)',
      };
    case 'light':
      return {
        background: danger ? 'var(--danger-fill)' : 'var(--tint-1)',
        hover: danger ? 'var(--danger-fill)' : 'var(--tint-1)',
        hoverColor: colour,
        color: colour,
        border: '1px solid transparent',
      };
    case 'subtle':
      return {
        background: 'transparent',
        hover: 'var(--row-hover)',
        hoverColor: danger ? colour : 'var(--text-1)',
        color: danger ? colour : 'var(--text-2)',
        border: '1px solid transparent',
      };
    default:
      return defaultVariantColorsResolver(input);
  }
};

/** The large controls of the sign-in card and the small ones of rows; everything else follows the density. */
const controlHeight = (size: unknown): string =>
  size === 'md'
    ? '36px'
    : size === 'xs'
      ? '24px'
      : size === 'compact-xs'
        ? 'var(--height-row-control)'
        : 'var(--height-control)';

/** Plain objects, not `Widget.extend`: the entry must not pull in every widget it only styles. */
const components: MantineThemeComponents = {
  Button: {
    classNames: { root: classes.button, section: classes.buttonSection },
    vars: (_: unknown, props: { size?: unknown }) => ({
      root: { '--button-height': controlHeight(props.size), '--button-padding-x': '12px' },
    }),
  },
  ActionIcon: {
    defaultProps: { variant: 'subtle', size: 30 },
    classNames: { root: classes.icon },
  },
  Input: {
    classNames: { input: classes.input },
    vars: (_: unknown, props: { size?: unknown }) => ({
      wrapper: { '--input-height': controlHeight(props.size) },
    }),
  },
  InputWrapper: {
    classNames: {
      label: classes.label,
      description: classes.hint,
      error: classes.fieldError,
      required: classes.required,
    },
  },
  NumberInput: { defaultProps: { hideControls: true } },
  Checkbox: {
    defaultProps: { size: '14px', radius: 3 },
    classNames: { input: classes.checkbox, label: classes.checkLabel },
  },
  Radio: { defaultProps: { size: 'xs' }, classNames: { label: classes.checkLabel } },
  Switch: {
    defaultProps: { size: 'xs', withThumbIndicator: false },
    classNames: { track: classes.switchTrack, label: classes.checkLabel },
  },
  Select: { defaultProps: { checkIconPosition: 'right', withAlignedLabels: false } },
  Combobox: { classNames: { dropdown: floating.dropdown, option: floating.option } },
  Popover: {
    defaultProps: { transitionProps: { duration: 120, transition: 'fade' }, offset: 4 },
    classNames: { dropdown: floating.dropdown },
  },
  Menu: {
    defaultProps: {
      // The first item takes the focus; Mantine's focus placeholder is not allowed inside a menu.
      withInitialFocusPlaceholder: false,
      transitionProps: { duration: 120, transition: 'fade' },
      offset: 4,
      position: 'bottom-end',
    },
    classNames: {
      dropdown: floating.menu,
      item: floating.menuItem,
      label: floating.menuLabel,
      divider: floating.menuDivider,
      itemSection: floating.menuSection,
      itemIndicator: floating.menuIndicator,
    },
  },
  Modal: {
    defaultProps: {
      centered: true,
      size: 420,
      transitionProps: { duration: 120, transition: 'fade' },
      // A <header> in a dialog would be a second banner landmark of the page.
      attributes: { header: { role: 'presentation' } },
    },
    classNames: {
      content: floating.modal,
      header: floating.modalHeader,
      title: floating.modalTitle,
      body: floating.modalBody,
      overlay: floating.overlay,
    },
  },
  Tooltip: {
    defaultProps: {
      // Also for people who use the keyboard.
      events: { hover: true, focus: true, touch: false },
      openDelay: 250,
      withinPortal: true,
      multiline: true,
      transitionProps: { duration: 80 },
    },
    classNames: { tooltip: floating.tooltip },
  },
  Notification: {
    classNames: {
      root: floating.notification,
      title: floating.notificationTitle,
      description: floating.notificationText,
      icon: floating.notificationIcon,
    },
  },
  SegmentedControl: {
    defaultProps: { withItemsBorders: false },
    classNames: {
      root: classes.segments,
      indicator: classes.segmentIndicator,
      label: classes.segmentLabel,
    },
  },
  Tabs: { classNames: { tab: classes.tab, list: classes.tabList } },
};

export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 4 },
  colors: { petrol: PETROL, gray: GRAY, dark: DARK },
  black: '#161c1e',
  white: '#ffffff',
  fontFamily: 'var(--font-text)',
  fontFamilyMonospace: 'var(--font-code)',
  fontSizes: { xs: '11px', sm: '13px', md: '13px', lg: '15px', xl: '16px' },
  lineHeights: { xs: '16px', sm: '18px', md: '20px', lg: '22px', xl: '24px' },
  fontWeights: { regular: '400', medium: '600', bold: '600' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '20px' },
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '8px' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: {
    fontFamily: 'var(--font-text)',
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '16px', lineHeight: '24px' },
      h2: { fontSize: '15px', lineHeight: '22px' },
      h3: { fontSize: '13px', lineHeight: '20px' },
      h4: { fontSize: '13px', lineHeight: '20px' },
      h5: { fontSize: '12px', lineHeight: '18px' },
      h6: { fontSize: '12px', lineHeight: '18px' },
    },
  },
  variantColorResolver,
  components,
});

const ROLES = {
  '--mantine-color-body': 'var(--page)',
  '--mantine-color-text': 'var(--text-1)',
  '--mantine-color-bright': 'var(--text-1)',
  '--mantine-color-dimmed': 'var(--text-3)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--danger-text)',
  '--mantine-color-default': 'var(--control)',
  '--mantine-color-default-hover': 'var(--row-hover)',
  '--mantine-color-default-color': 'var(--text-1)',
  '--mantine-color-default-border': 'var(--line-control)',
  '--mantine-color-disabled': 'var(--sunk)',
  '--mantine-color-disabled-color': 'var(--text-3)',
  '--mantine-color-disabled-border': 'var(--line)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-filled-hover': 'var(--accent-hover)',
  '--mantine-primary-color-light': 'var(--tint-1)',
  '--mantine-primary-color-light-hover': 'var(--tint-1)',
  '--mantine-primary-color-light-color': 'var(--accent)',
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: ROLES,
  dark: ROLES,
});
