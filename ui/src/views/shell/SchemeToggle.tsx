import { ActionIcon, type MantineColorScheme, Menu, Tooltip, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun, type TablerIcon } from "@tabler/icons-react";
import { useState } from "react";

const SCHEMES: Record<MantineColorScheme, { label: string; icon: TablerIcon }> = {
  light: { label: "Light", icon: IconSun },
  dark: { label: "Dark", icon: IconMoon },
  auto: { label: "As the system", icon: IconDeviceDesktop },
};

/** Light, dark, or as the system has it. */
export function SchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [opened, setOpened] = useState(false);
  const Current = SCHEMES[colorScheme].icon;
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip disabled={opened} label={`Colours: ${SCHEMES[colorScheme].label.toLowerCase()}`}>
          <ActionIcon aria-label="Light or dark">
            <Current size={17} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {(["light", "dark", "auto"] as const).map((scheme) => {
          const { label, icon: Icon } = SCHEMES[scheme];
          return (
            <Menu.Item
              key={scheme}
              leftSection={<Icon size={15} stroke={1.7} />}
              rightSection={scheme === colorScheme ? <IconCheck size={14} aria-label="chosen" /> : null}
              onClick={() => setColorScheme(scheme)}
            >
              {label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
