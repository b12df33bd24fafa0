// Prediction and velocities; the twin of `xpbd_core::cpu::integrate`, where the formulas stand.

fn is_second(particle: u32) -> bool {
    return SECOND_ORDER && motion[vector_index(PREVIOUS_DISPLACEMENT, particle)].w == 1.0;
}

// Returns the displacement by velocity `free` and the previous displacement [m].
fn free_move(free: vec4f, previous_displacement: vec4f, second: bool) -> vec4f {
    if second {
        return vec4f((previous_displacement * (1.0 / 3.0)).xyz, 0.0) + free * substep.two_thirds_h;
    }
    return free * substep.h;
}

// Moves a particle as if there were no constraints.
fn predict(i: u32) {
    let acceleration = vec4f(motion[vector_index(ACCELERATION, i)].xyz, 0.0);
    let velocity = motion[vector_index(VELOCITY, i)];
    let second = is_second(i);
    let position = anchor[i];
    var free = velocity;
    if SECOND_ORDER {
        let before = vec4f(motion[vector_index(PREVIOUS_VELOCITY, i)].xyz, 0.0);
        motion[vector_index(PREVIOUS_VELOCITY, i)] = velocity;
        if second {
            let mean = velocity + (velocity - before) * (1.0 / 3.0);
            free = mean + acceleration * substep.two_thirds_h;
        }
    }
    if !second && position.w > 0.0 {
        free = velocity + acceleration * substep.h;
    }
    motion[vector_index(VELOCITY, i)] = free;
    let displacement = free_move(free, motion[vector_index(PREVIOUS_DISPLACEMENT, i)], second);
    let moved = vec4f((position + (offset[i] + displacement)).xyz, position.w);
    let from_here = (position - moved) + offset[i];
    anchor[i] = moved;
    start[i] = from_here;
    offset[i] = from_here + displacement;
}

// Computes the velocity of a particle from the corrections of the constraints.
fn update_velocity(i: u32, touched: bool) {
    let free = motion[vector_index(VELOCITY, i)];
    let moved = offset[i] - start[i];
    let second = is_second(i);
    let predicted = start[i] + free_move(free, motion[vector_index(PREVIOUS_DISPLACEMENT, i)], second);
    var velocity = free + (offset[i] - predicted) * select(substep.inverse_h, substep.inverse_two_thirds_h, second);
    let w = anchor[i].w;
    if SECOND_ORDER {
        if touched && second {
            velocity = moved / substep.h;
        }
        let usable = !touched && w > 0.0;
        motion[vector_index(PREVIOUS_DISPLACEMENT, i)] = vec4f(moved.xyz, select(0.0, 1.0, usable));
    }
    if touched {
        motion[vector_index(PREVIOUS_VELOCITY, i)].w = 1.0;
    }
    if w > 0.0 {
        velocity /= 1.0 + substep.h * motion[vector_index(ACCELERATION, i)].w;
    }
    motion[vector_index(VELOCITY, i)] = velocity;
}
