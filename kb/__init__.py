"""The ground floor: records, errors, settings, the part registry, the store, generations, models."""
