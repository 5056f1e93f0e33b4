/** Element ids of an option: its row and its control. */
export const rowId = (key: string) => `option-${key}`;
export const controlId = (key: string) => `control-${key}`;
export const sectionElementId = (section: string) => `section-${section}`;
