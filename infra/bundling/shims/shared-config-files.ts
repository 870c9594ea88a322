/** Stands in for the SDK's reader of the user's configuration files: in a function there are none. */
export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });

export const CONFIG_PREFIX_SEPARATOR = ".";
