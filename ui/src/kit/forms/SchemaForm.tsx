/** A form generated from a JSON schema: a control for each property, nested as they are. */

import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Switch,
} from "@mantine/core";
import { Textarea, TextInput, Tooltip, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconPlus, IconX } from "@tabler/icons-react";
import { useId, useState } from "react";

import {
  type Field,
  fieldOf,
  initialOf,
  isFields,
  type Json,
  problemsOf,
  type Property,
  propertiesOf,
  resolved,
  same,
  type Schema,
} from "@/model/schema";

import { JsonField } from "./JsonField";
import classes from "./forms.module.css";

export interface SchemaFormProps {
  schema: Schema;
  value: Json;
  /** The new value; `problem` is why what is written in a field is none. */
  onChange: (value: Json, problem: string | null) => void;
  label: string;
  disabled?: boolean;
}

export function SchemaForm({ schema, value, onChange, label, disabled = false }: SchemaFormProps) {
  const { schema: own } = resolved(schema, schema);
  const common = { root: schema, disabled };
  if (propertiesOf(own).length > 0 && (value === null || value === undefined || isFields(value)))
    return (
      <fieldset className={classes["plain"]} aria-label={label}>
        <Properties
          {...common}
          properties={propertiesOf(own)}
          value={isFields(value) ? value : {}}
          onChange={onChange}
        />
      </fieldset>
    );
  return <SchemaField {...common} schema={schema} name="" label={label} value={value} onChange={onChange} />;
}

interface Common {
  root: Schema;
  disabled: boolean;
}

interface PropertiesProps extends Common {
  properties: Property[];
  value: { [name: string]: Json };
  onChange: (value: Json, problem: string | null) => void;
}

/** Those that are needed or set, and the others on demand. */
function Properties({ properties, value, onChange, ...common }: PropertiesProps) {
  const [open, setOpen] = useState(false);
  const [wrong, setWrong] = useState<{ [name: string]: string }>({});
  const seen = properties.filter((one) => fieldOf(one.schema, common.root).control !== "constant");
  const first = seen.filter(
    (one) => one.required || (one.name in value && !isUsual(one, value[one.name], common.root)),
  );
  const shown = first.length > 0 ? first : seen;
  const rest = seen.filter((one) => !shown.includes(one));
  const change = (name: string, next: Json, problem: string | null) => {
    const { [name]: _, ...others } = wrong;
    const still = problem === null ? others : { ...wrong, [name]: problem };
    setWrong(still);
    const { [name]: __, ...kept } = value;
    onChange(next === undefined ? kept : { ...value, [name]: next }, Object.values(still)[0] ?? null);
  };
  const fields = (list: Property[]) =>
    list.map((one) => (
      <SchemaField
        key={one.name}
        {...common}
        schema={one.schema}
        name={one.name}
        required={one.required}
        value={value[one.name]}
        onChange={(next, problem) => change(one.name, next, problem)}
      />
    ));
  const Mark = open ? IconChevronDown : IconChevronRight;
  return (
    <div className={classes["fields"]}>
      {fields(shown)}
      {rest.length > 0 && (
        <UnstyledButton className="quiet" fz={12} aria-expanded={open} onClick={() => setOpen(!open)}>
          <Group gap={4}>
            <Mark size={13} aria-hidden /> {rest.length === 1 ? "1 more field" : `${rest.length} more fields`}
          </Group>
        </UnstyledButton>
      )}
      {open && fields(rest)}
    </div>
  );
}

function isUsual(property: Property, value: Json, root: Schema): boolean {
  const { schema } = resolved(property.schema, root);
  return "default" in schema && same(schema["default"], value);
}

export interface SchemaFieldProps extends Common {
  schema: Schema;
  name: string;
  /** What it is called, where that is not its name. */
  label?: string;
  required?: boolean;
  /** Whether it is marked as required. */
  marked?: boolean;
  value: Json;
  /** Undefined where it shall not be there. */
  onChange: (value: Json, problem: string | null) => void;
}

/** One property: its title, what it is for, its control, and what is wrong with it. */
export function SchemaField(props: SchemaFieldProps) {
  const { schema, name, label, required = false, marked = required, value, onChange, ...common } = props;
  const field = fieldOf(schema, common.root, name, value);
  const id = useId();
  const title = label ?? field.title;
  const unset = value === undefined || value === null;
  const leaf = field.control !== "object" && field.control !== "list";
  const problem = unset || !leaf ? undefined : problemsOf(value, schema, common.root)[0];
  const clear = field.nullable ? null : undefined;
  const canClear = !common.disabled && !unset && (field.nullable || !required) && name !== "";
  const big = field.control === "object" || field.control === "list" || field.control === "json";
  return (
    <div>
      <div className={classes["head"]}>
        <label htmlFor={big ? undefined : id} id={`${id}-title`} className={classes["title"]}>
          {title}
          {marked && (
            <span className={classes["needed"]} aria-hidden>
              {" *"}
            </span>
          )}
        </label>
        {field.nullable && unset && <span className="quiet">not set</span>}
        {canClear && (
          <Tooltip label={field.nullable ? "Set it to nothing" : "Leave it out"}>
            <ActionIcon size={18} aria-label={`Clear ${title}`} onClick={() => onChange(clear, null)}>
              <IconX size={12} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {field.about !== "" && (
        <p className={classes["about"]} id={`${id}-about`}>
          {field.about}
        </p>
      )}
      {big && unset && !required ? (
        <Button
          variant="default"
          size="compact-xs"
          disabled={common.disabled}
          aria-label={`Set ${title}`}
          onClick={() => onChange(initialOf(withoutNull(schema, common.root), common.root) ?? {}, null)}
        >
          Set
        </Button>
      ) : (
        <FieldControl
          {...common}
          id={id}
          field={field}
          title={title}
          value={value}
          onChange={onChange}
          described={field.about === "" ? undefined : `${id}-about`}
        />
      )}
      {problem !== undefined && (
        <div role="alert" className={classes["problem"]}>
          {title} {problem.message}
        </div>
      )}
    </div>
  );
}

function withoutNull(schema: Schema, root: Schema): Schema {
  const { default: _, ...own } = resolved(schema, root).schema;
  return own;
}

interface ControlProps extends Common {
  id: string;
  field: Field;
  title: string;
  value: Json;
  onChange: (value: Json, problem: string | null) => void;
  described: string | undefined;
}

function FieldControl({ id, field, title, value, onChange, described, ...common }: ControlProps) {
  const { disabled } = common;
  const set = (next: Json) => onChange(next, null);
  const attributes = { id, disabled, size: "xs" as const, "aria-describedby": described };
  switch (field.control) {
    case "text":
      return field.long ? (
        <Textarea
          {...attributes}
          autosize
          minRows={2}
          maxRows={14}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => set(event.currentTarget.value)}
        />
      ) : (
        <TextInput
          {...attributes}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => set(event.currentTarget.value)}
        />
      );
    case "number":
      return (
        <NumberInput
          {...attributes}
          allowDecimal={!field.whole}
          maw={200}
          value={typeof value === "number" ? value : ""}
          onChange={(next) => set(typeof next === "number" ? next : field.nullable ? null : undefined)}
          {...(field.least !== null && { min: field.least })}
          {...(field.most !== null && { max: field.most })}
        />
      );
    case "switch":
      return field.nullable ? (
        <SegmentedControl
          size="xs"
          disabled={disabled}
          aria-label={title}
          value={typeof value === "boolean" ? String(value) : "null"}
          onChange={(next) => set(next === "null" ? null : next === "true")}
          data={[
            { value: "true", label: "yes" },
            { value: "false", label: "no" },
            { value: "null", label: "not set" },
          ]}
        />
      ) : (
        <Switch
          {...attributes}
          checked={value === true}
          onChange={(event) => set(event.currentTarget.checked)}
          label={value === true ? "yes" : "no"}
        />
      );
    case "choice":
      return (
        <NativeSelect
          {...attributes}
          value={String(field.choices.findIndex((one) => same(one.value, value)))}
          onChange={(event) => set(field.choices[Number(event.currentTarget.value)]?.value)}
          data={[
            ...(field.choices.some((one) => same(one.value, value)) ? [] : [{ value: "-1", label: "choose" }]),
            ...field.choices.map((one, n) => ({ value: String(n), label: one.label })),
          ]}
        />
      );
    case "several": {
      const chosen = Array.isArray(value) ? value : [];
      return (
        <Group component="fieldset" className={classes["plain"]} aria-label={title} gap="sm">
          {field.choices.map((one) => (
            <Checkbox
              key={one.label}
              size="xs"
              label={one.label}
              disabled={disabled}
              checked={chosen.some((item) => same(item, one.value))}
              onChange={(event) =>
                set(
                  event.currentTarget.checked
                    ? [...chosen, one.value]
                    : chosen.filter((item) => !same(item, one.value)),
                )
              }
            />
          ))}
          {field.choices.length === 0 && <span className="quiet">there is none to choose</span>}
        </Group>
      );
    }
    case "list":
      return <ListControl {...common} item={field.item} title={title} value={value} onChange={onChange} />;
    case "object":
      return (
        <fieldset className={classes["inside"]} aria-label={title}>
          <Properties
            {...common}
            properties={field.properties}
            value={isFields(value) ? value : {}}
            onChange={onChange}
          />
        </fieldset>
      );
    case "constant":
      return <code>{JSON.stringify(field.value)}</code>;
    case "json":
      return <JsonField value={value} onChange={onChange} label={title} maxHeight={240} />;
  }
}

interface ListProps extends Common {
  item: Schema;
  title: string;
  value: Json;
  onChange: (value: Json, problem: string | null) => void;
}

function ListControl({ item, title, value, onChange, ...common }: ListProps) {
  const items = Array.isArray(value) ? value : [];
  return (
    <fieldset aria-label={title} className={classes["inside"]}>
      {items.map((one, n) => (
        // Items have no identity but their place.
        <div key={n} className={classes["item"]}>
          <SchemaField
            {...common}
            schema={item}
            name=""
            label={String(n + 1)}
            required
            marked={false}
            value={one}
            onChange={(next, problem) => onChange(items.with(n, next ?? null), problem)}
          />
          <ActionIcon
            size="sm"
            disabled={common.disabled}
            aria-label={`Remove ${title} ${n + 1}`}
            title="Remove it"
            onClick={() => onChange(items.toSpliced(n, 1), null)}
          >
            <IconX size={13} />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="default"
        size="compact-xs"
        disabled={common.disabled}
        leftSection={<IconPlus size={12} />}
        onClick={() => onChange([...items, initialOf(item, common.root)], null)}
      >
        Add
      </Button>
    </fieldset>
  );
}
